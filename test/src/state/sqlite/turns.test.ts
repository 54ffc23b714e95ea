import { setImmediate } from "node:timers/promises";

import { describe, expect, it } from "vitest";

import { answerInTurn, Turns } from "../../../../src/state/sqlite/turns.ts";

describe("answerInTurn", () => {
  it("begins no call inside a step of another, also where one gives way and all came at once", async () => {
    const told: string[] = [];
    const step = async (name: string): Promise<void> => {
      told.push(`${name} begins`);
      await setImmediate();
      await setImmediate();
      told.push(`${name} ends`);
    };
    const turns = new Turns();
    const methods = {
      long: async () => {
        await step("first step");
        await turns.giveWay();
        await step("second step");
        await turns.giveWay();
        await step("third step");
      },
      other: async () => await step("other"),
      failing: async () => {
        await step("failing");
        throw new Error("it failed");
      },
    };
    const answer = answerInTurn(methods, (error) => error, turns);
    const calls = ["other", "long", "failing", "other"].map(
      async (method, number) => await answer({ method, number, input: [] }),
    );
    const answers = await Promise.all(calls);
    const steps = ["other", "first step", "failing", "other", "second step", "third step"];
    expect(told).toEqual(steps.flatMap((name) => [`${name} begins`, `${name} ends`]));
    expect(answers.map(({ error }) => error?.message)).toEqual([
      undefined,
      undefined,
      "it failed",
      undefined,
    ]);
  });
});
