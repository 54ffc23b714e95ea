import { describe, expect, it } from "vitest";

import { bestInTurn, bestOf, ratioOf, type Took } from "../../../bench/fast-path/best.ts";

const took = (cpuSeconds: number, seconds: number): Took => ({ cpuSeconds, seconds });

/** A program that takes these times, one after the other. */
function program(turns: string[], name: string, all: readonly Took[]): () => Promise<Took> {
  const left = [...all];
  return async () => {
    turns.push(name);
    return left.shift() ?? took(Number.NaN, Number.NaN);
  };
}

describe("bestOf", () => {
  it("takes the least of each figure by itself", () => {
    expect(bestOf([took(3, 2), took(2, 4), took(5, 9)])).toEqual(took(2, 2));
  });
});

describe("bestInTurn", () => {
  it("runs the programs by turns, and counts no warm-up", async () => {
    const turns: string[] = [];
    const best = await bestInTurn(
      {
        one: program(turns, "one", [took(1, 1), took(8, 6), took(7, 9)]),
        other: program(turns, "other", [took(1, 1), took(4, 3), took(5, 2)]),
      },
      { rounds: 2, warmUp: true },
    );
    expect(turns).toEqual(["one", "other", "one", "other", "one", "other"]);
    expect([best("one"), best("other")]).toEqual([took(7, 6), took(4, 2)]);
  });

  it("counts the first round where no warm-up is wanted", async () => {
    const one = program([], "one", [took(1, 2), took(3, 4)]);
    const best = await bestInTurn({ one }, { rounds: 1, warmUp: false });
    expect(best("one")).toEqual(took(1, 2));
  });
});

describe("ratioOf", () => {
  it("holds processor seconds, or those on the clock, against each other", () => {
    const [one, other] = [took(3, 1), took(2, 4)];
    expect(ratioOf(one, other)).toEqual({ value: 1.5, from: "3.000 CPU s beside 2.000" });
    expect(ratioOf(one, other, "seconds")).toEqual({ value: 0.25, from: "1.000 s beside 4.000" });
  });
});
