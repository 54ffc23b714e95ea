import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { runSeeds } from "../../chaos/chaos.ts";

/**
 * A kill during a PUT, then one of Temporal (row 45); a kill after an applied confirm, with the clock two
 * hours off; a zombie, its confirm answered meanwhile (row 44).
 */
const seeds = [16, 38, 28];

describe("npm run chaos", () => {
  it("loses nothing under three seeds that kill, stop and mislead real processes", async () => {
    const said: string[] = [];
    const out = await mkdtemp(join(tmpdir(), "sluice-chaos-out-"));
    const say = (text: string): number => said.push(text);
    const results = await runSeeds({ seeds, rows: 5_000, out, say });
    const isRed = results.some(({ violations }) => violations.length > 0);
    expect(isRed ? said : []).toEqual([]);
    // The folder of a red seed stays, because the printed message names it.
    await rm(out, { recursive: true });
    const injected = results.flatMap((result) => result.injected);
    const kills = injected.filter(({ fault, isHeld }) => fault === "kill" && isHeld);
    expect(kills.some(({ entry }) => entry.step === "put")).toBe(true);
    expect(kills.some(({ entry }) => entry.applied)).toBe(true);
    expect(injected.map(({ fault }) => fault)).toEqual(
      expect.arrayContaining(["stop", "kill-temporal"]),
    );
    expect(results.some(({ hadWrongClock }) => hadWrongClock)).toBe(true);
  }, 600_000);
});
