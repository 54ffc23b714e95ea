import { describe, expect, it } from "vitest";

import { ConfigError } from "../../../../src/errors.ts";
import { person } from "../../init/person.ts";

const digits = (answer: string): number => {
  if (/^\d+$/.test(answer)) return Number(answer);
  throw new ConfigError("no number", { hint: "Digits only." });
};

const sesame = (answer: string): string => {
  if (answer === "sesame") return answer;
  throw new ConfigError("that is not it");
};

const broken = (): never => {
  throw new TypeError("broken");
};

describe("an instance of TerminalAnswers", () => {
  it("asks again until an answer will do", async () => {
    const { answers, type, shown } = person();
    const asked = answers.ask({ flag: "id", text: "How many", parse: digits });
    await type("How many", "");
    await type("How many", "few\u001b[31m");
    await type("How many", " 12 ");
    expect(await asked).toBe(12);
    expect(shown()).toContain("no number → Digits only.");
    expect(shown().match(/How many: /g)?.length).toBe(3);
    expect(answers.isGuess("id")).toBe(false);
  });

  it("takes the fallback for an empty answer, and shows the choices", async () => {
    const { answers, type, shown } = person();
    const question = { text: "Which", choices: ["a", "b\u202e"], parse: String };
    const asked = answers.ask({ ...question, flag: "id", fallback: "a" });
    await type("Which [a]", "");
    expect(await asked).toBe("a");
    expect(answers.isGuess("id")).toBe(true);
    expect(shown()).toContain("  a, b \n");
  });

  it("shows nothing of a secret that is typed", async () => {
    const { answers, type, shown } = person();
    const asked = answers.askSecret({ variable: "URL", text: "URL", parse: sesame });
    await type("URL", "wrong");
    await type("URL", "sesame");
    expect(await asked).toBe("sesame");
    expect(shown()).toContain("that is not it");
    expect(shown()).not.toMatch(/sesame|wrong/);
    const next = answers.ask({ flag: "id", text: "Seen", parse: String });
    await type("Seen", "again");
    await next;
    expect(shown()).toContain("again");
  });

  it.each([
    ["Ctrl-C", "\u0003"],
    ["Ctrl-D", "\u0004"],
  ])("ends with %s", async (_, key) => {
    const { answers, type } = person();
    const asked = answers.ask({ flag: "id", text: "How many", parse: digits });
    await Promise.all([expect(asked).rejects.toThrow("aborted"), type("How many", key, "")]);
    expect(answers.ended.aborted).toBe(true);
  });

  it("hands on what is not a mistake of the person", async () => {
    const { answers, type } = person();
    const asked = answers.ask({ flag: "id", text: "How many", parse: broken });
    await Promise.all([expect(asked).rejects.toThrow(TypeError), type("How many", "1")]);
  });
});
