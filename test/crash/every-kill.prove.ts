// The deaths of the other tests, each by a real kill: that takes a process, which runs everything before the point.
import { describe, expect, it } from "vitest";

import { killAtDrops, killEverywhere } from "./crash-test.ts";
import { ofFiles, ofTable } from "./drive/backfill-lanes.ts";
import { pulls } from "./drive/pull-lanes.ts";
import { heavyweight, lightweight } from "./drive/sync-lanes.ts";

const timeout = 1_800_000;

describe.each(Object.entries({ heavyweight, lightweight }))("a %s run", (_, test) => {
  it(
    "keeps its promises before whatever effect its process is killed",
    { timeout },
    async ({ annotate }) => {
      const { deaths, violations } = await killEverywhere(test);
      expect(violations).toEqual([]);
      await annotate(`${deaths.length} effects to die at`);
    },
  );

  it(
    "loses and repeats nothing when its process is killed at a request that arrived and was not applied",
    { timeout },
    async () => {
      const { deaths, violations } = await killAtDrops(test);
      expect(violations).toEqual([]);
      expect(deaths).toHaveLength(test.requests);
    },
  );
});

describe.each(Object.entries({ ofFiles, ofTable }))("a backfill %s", (_, test) => {
  it("keeps its promises before whatever effect its process is killed", { timeout }, async () => {
    const { violations } = await killEverywhere(test);
    expect(violations).toEqual([]);
  });
});

describe.each(Object.entries(pulls))("a pull of %s", (_, test) => {
  it("keeps its promises before whatever effect its process is killed", { timeout }, async () => {
    const { violations } = await killEverywhere(test);
    expect(violations).toEqual([]);
  });
});
