import { describe, expect, it } from "vitest";

import { FlagAnswers } from "../../../../src/cli/project/answers.ts";

const parse = (answer: string): string => answer.toUpperCase();

describe("an instance of FlagAnswers", () => {
  it("answers with what was given, else with the fallback, and tells the two apart", async () => {
    const answers = new FlagAnswers(new Map([["id", "number"]]));
    expect(await answers.ask({ flag: "id", text: "", fallback: "x", parse })).toBe("NUMBER");
    expect(await answers.ask({ flag: "stream", text: "", fallback: "x", parse })).toBe("X");
    expect([answers.isGuess("id"), answers.isGuess("stream")]).toEqual([false, true]);
  });

  it("names the option that is missing, and what it takes", async () => {
    const question = { text: "Which column", choices: ["a", "b"], parse: String };
    await expect(new FlagAnswers(new Map()).ask({ ...question, flag: "id" })).rejects.toMatchObject(
      {
        message: "--id is missing: Which column",
        hint: "one of: a, b",
      },
    );
  });

  it("names all that is missing of several at once", () => {
    const answers = new FlagAnswers(new Map([["stream", "account"]]));
    const text = "Which";
    const questions = [
      { flag: "stream", text },
      { flag: "id", text: "Which column", choices: ["a", "b"] },
      { flag: "domain", text, fallback: "b" },
      { flag: "column-zone", text: "Which zone" },
    ] as const;
    expect(() => answers.assertAnswered(questions)).toThrow(
      "--id, --column-zone are missing: Which column; Which zone",
    );
    expect(() => answers.assertAnswered(questions.slice(0, 1))).not.toThrow();
  });

  it("asks nobody for a secret", async () => {
    const question = { variable: "CRM_DATABASE_URL", text: "", parse: String };
    await expect(new FlagAnswers(new Map()).askSecret(question)).rejects.toThrow(
      "variable CRM_DATABASE_URL is not set",
    );
  });

  it("refuses an option that answers nothing", async () => {
    const answers = new FlagAnswers(
      new Map([
        ["id", "a"],
        ["table", "b"],
      ]),
    );
    await answers.ask({ flag: "id", text: "", parse: String });
    expect(() => answers.assertAllUsed()).toThrow("--table: nothing here asks for it");
    await answers.ask({ flag: "table", text: "", parse: String });
    expect(() => answers.assertAllUsed()).not.toThrow();
  });
});
