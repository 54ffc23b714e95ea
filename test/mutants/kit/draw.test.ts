import { resolve } from "node:path";

import { describe, expect, it } from "vitest";

import { drawMutants, inProportion } from "./draw.ts";

const root = resolve(import.meta.dirname, "../../..");

async function drawn(seed: number): Promise<readonly string[]> {
  const ask = { connectors: ["webhook"], count: 5, seed };
  const draws = await drawMutants(root, ask);
  return draws
    .flatMap(({ candidates }) => candidates)
    .map(({ file, line, is }) => `${file}:${line} ${is}`);
}

describe("drawMutants", () => {
  it("draws the same of the same seed, and others of another", async () => {
    const first = await drawn(1);
    expect(first.length).toBeGreaterThan(5);
    expect(await drawn(1)).toEqual(first);
    expect(await drawn(2)).not.toEqual(first);
  });

  it("gives each connector its share", async () => {
    const ask = { connectors: ["csv", "webhook"], count: 50, seed: 1 };
    const [csv, webhook] = (await drawMutants(root, ask)).map(({ count }) => count);
    expect((csv ?? 0) + (webhook ?? 0)).toBe(50);
    expect(csv).toBeGreaterThan(webhook ?? 0);
  });
});

describe("inProportion", () => {
  it.each([
    [10, [1, 1], [5, 5]],
    [10, [2, 1, 1], [5, 3, 2]],
    [2, [1, 1, 1], [1, 1, 0]],
    [0, [3, 4], [0, 0]],
  ])("divides %i by %j", (count, weights, counts) => {
    expect(inProportion(count, weights)).toEqual(counts);
  });
});
