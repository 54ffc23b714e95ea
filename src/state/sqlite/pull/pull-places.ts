import { z } from "zod";

import { SupersededError } from "../../../errors.ts";
import { jsonColumn } from "../../contract/json-column.ts";
import { type PullName } from "../../contract/pull/pull-places.ts";
import { toJson } from "../../store/json.ts";
import type { Database } from "../database.ts";
import { count, first } from "../database.ts";

const flag = z.int().transform(Boolean);

const placeRow = z
  .object({
    /** Grows by one with every page and every domain: it numbers the steps of a pull. */
    version: z.int(),
    /** The run that began this round. */
    begunBy: z.string(),
    queryHash: z.string(),
    writeHash: z.string(),
    /** Whether the domains of the round are all there; a search has none. */
    isListed: flag,
    /** Number of the domain that is walked; 0 in a search, and before the first. */
    ordinal: z.int(),
    /** Where the walk comes after the last page that was written; null before its first. */
    walk: jsonColumn,
    /** Whether a call for the page behind `walk` left, and nobody knows yet what it brought. */
    isAsking: flag,
    /** Whether the round has ended: the next run begins anew. */
    isDone: flag,
    /** Pages and refused domains that this round has after it. */
    steps: z.int(),
  })
  .readonly();

/** A pull's place as it is in the store. */
export type StoredPlace = z.output<typeof placeRow>;

/** The places of all pulls, and the one page that each may keep; every call belongs into a transaction. */
export type PullPlaces = {
  load(name: PullName): StoredPlace | undefined;
  save(name: PullName, place: StoredPlace): void;
  /** Changes some of a place that is there. */
  change(name: PullName, to: (place: StoredPlace) => Partial<StoredPlace>): void;
  /** null when there is none. */
  page(name: PullName): unknown;
  /** Keeps a page in place of the last; null keeps none. */
  setPage(name: PullName, page: unknown): void;
  /** @throws {SupersededError} the run does not hold its pull's lock. */
  assertHeld(runId: string): void;
};

const thisPull = "target = $target and pull = $pull";

/** The places of a SQLite store. */
export function createPullPlaces(db: Database): PullPlaces {
  const select = db.prepare(
    `select version, begun_by as begunBy, query_hash as queryHash, write_hash as writeHash,
       is_listed as isListed, ordinal, walk, is_asking as isAsking, is_done as isDone, steps
     from pulls where ${thisPull}`,
  );
  const replace = db.prepare(
    `insert or replace into pulls (target, pull, version, begun_by, query_hash, write_hash, is_listed, ordinal,
       walk, is_asking, is_done, steps)
     values ($target, $pull, $version, $begunBy, $queryHash, $writeHash, $isListed, $ordinal,
       $walk, $isAsking, $isDone, $steps)`,
  );
  const selectPage = db.prepare(`select page from pull_pages where ${thisPull}`);
  const putPage = db.prepare(
    "insert or replace into pull_pages (target, pull, page) values ($target, $pull, $page)",
  );
  const dropPage = db.prepare(`delete from pull_pages where ${thisPull}`);
  const holds = db.prepare("select count(*) from locks where run_id = $runId and held");
  const places: PullPlaces = {
    load: ({ target, pull }) => first(placeRow, select, { target, pull }),
    save: ({ target, pull }, { isListed, isAsking, isDone, walk, ...place }) => {
      const flags = {
        isListed: Number(isListed),
        isAsking: Number(isAsking),
        isDone: Number(isDone),
      };
      replace.run({ target, pull, ...place, ...flags, walk: toJson(walk) });
    },
    change: (name, to) => {
      const place = places.load(name);
      if (place !== undefined) places.save(name, { ...place, ...to(place) });
    },
    page: ({ target, pull }) =>
      first(z.object({ page: jsonColumn }), selectPage, { target, pull })?.page ?? null,
    setPage: ({ target, pull }, page) => {
      const json = toJson(page);
      if (json === null) dropPage.run({ target, pull });
      else putPage.run({ target, pull, page: json });
    },
    assertHeld: (runId) => {
      if (count(holds, { runId }) > 0) return;
      throw new SupersededError(`run ${runId} does not hold the lock of its pull any more`, {
        hint: "look at `sluice runs list`: a later run continues where this one stopped",
      });
    },
  };
  return places;
}
