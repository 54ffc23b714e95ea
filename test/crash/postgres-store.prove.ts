// The deaths of the other tests with the state in Postgres, where an open transaction ends with its connection.
import { describe, expect, it } from "vitest";

import { dieAtDrops, dieBefore } from "./crash-test.ts";
import { ofFiles, ofTable } from "./drive/backfill-lanes.ts";
import { pulls } from "./drive/pull-lanes.ts";
import { heavyweight, heldRun, lightweight } from "./drive/sync-lanes.ts";

const timeout = 900_000;

const syncs = { heavyweight, lightweight, held: heldRun };

describe.each(Object.entries(syncs))("a %s run with its state in Postgres", (_, test) => {
  it(
    "loses and repeats nothing that it does not admit, wherever it dies",
    { timeout },
    async ({ annotate }) => {
      const { deaths, violations } = await dieBefore(test, "each", "postgres");
      expect(violations).toEqual([]);
      await annotate(`${deaths.length} effects to die at`);
    },
  );
});

describe.each(Object.entries({ heavyweight, lightweight }))(
  "a %s run with its state in Postgres",
  (_, test) => {
    it("loses and repeats nothing where it dies at a request that arrived and was not applied", async () => {
      const { deaths, violations } = await dieAtDrops(test, "postgres");
      expect(violations).toEqual([]);
      expect(deaths).toHaveLength(test.requests);
    });
  },
);

describe.each(Object.entries({ ofFiles, ofTable }))(
  "a backfill %s with its state in Postgres",
  (_, test) => {
    it("keeps its promises, wherever it dies", { timeout }, async ({ annotate }) => {
      const { deaths, violations } = await dieBefore(test, "each", "postgres");
      expect(violations).toEqual([]);
      await annotate(`${deaths.length} effects to die at`);
    });
  },
);

describe.each(Object.entries(pulls))("a pull of %s with its state in Postgres", (_, test) => {
  it(
    "loses nothing, writes nothing twice and pays no kept page again, wherever it dies",
    { timeout },
    async ({ annotate }) => {
      const { deaths, violations } = await dieBefore(test, "each", "postgres");
      expect(violations).toEqual([]);
      await annotate(`${deaths.length} effects to die at`);
    },
  );
});
