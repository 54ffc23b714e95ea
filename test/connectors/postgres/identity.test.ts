import { describe, expect, it } from "vitest";

import {
  differenceOf,
  rememberedOf,
  shownSighting,
  type Sighting,
} from "../../../connectors/postgres/identity.ts";

const seen: Sighting = {
  system: "7301",
  database: "crm",
  oid: "16384",
  address: "db1:5432",
  timeline: 1,
  wal: "0/FF000000",
  fork: null,
  ahead: null,
};
const known = rememberedOf(undefined, seen);
const later = { ...seen, wal: "1/0" };

/** The remembered identity once a replica at this address was confirmed. */
const withReplica = rememberedOf(rememberedOf(known, { ...later, address: "db2:5432" }), later);

const standby: Sighting = { ...later, timeline: null, wal: null };

describe("a database that was read before", () => {
  it.each<[string, typeof known, Sighting]>([
    ["it wrote on", known, later],
    ["the role may not ask for the identifier any more", known, { ...later, system: null }],
    ["it is read through a standby of the list", withReplica, { ...standby, address: "db2:5432" }],
    [
      "a replica of the list took over",
      withReplica,
      { ...later, address: "db2:5432", timeline: 2, wal: "1/10", fork: "1/5" },
    ],
    [
      "a replica of the list took over, and was started again since",
      withReplica,
      { ...later, address: "db2:5432", timeline: 2, wal: "1/10" },
    ],
    [
      "a replica took over after the same address, and was not started again since",
      known,
      { ...later, timeline: 2, fork: "0/FF000001" },
    ],
  ])("continues when %s", (_, before, now) => {
    expect(differenceOf(before, now)).toBeUndefined();
  });

  it.each<[string, Sighting, string]>([
    ["of another server", { ...later, system: "8" }, "is not the one"],
    ["dropped and made again under its name", { ...later, oid: "16385" }, "is not the one"],
    ["another of the server", { ...later, database: "hr" }, "is not the one"],
    ["at a new address", { ...later, address: "db2:5432" }, "never confirmed"],
    ["restored from a snapshot", { ...later, wal: "0/FE000000" }, "went back"],
    [
      "restored to a point in time",
      { ...later, timeline: 2, wal: "2/0", fork: "0/FE000000" },
      "went back",
    ],
    ["on another timeline, nobody can tell why", { ...later, timeline: 2 }, "another timeline"],
    [
      "two timelines on, of which only the last is known",
      { ...later, timeline: 3, fork: "1/0" },
      "another timeline",
    ],
    ["after the checkpoint", { ...later, ahead: "10" }, "checkpoint 10 is above"],
  ])("stops when it is %s", (_, now, words) => {
    expect(differenceOf(known, now)).toContain(words);
  });

  it("is confirmed once: from then on it is the same", () => {
    for (const now of [
      { ...later, system: "8" },
      { ...later, address: "db2:5432" },
      { ...later, wal: "0/1" },
      { ...later, timeline: 2 },
      { ...later, ahead: "10" },
    ]) {
      expect(differenceOf(rememberedOf(known, now), now)).toBeUndefined();
    }
    expect(differenceOf(withReplica, { ...later, address: "db2:5432" })).toBeUndefined();
    // No address of another database is taken over.
    expect(rememberedOf(known, { ...later, system: "8", address: "x:1" }).addresses).toEqual([
      "x:1",
    ]);
  });

  it("keeps what a primary told while a standby is read", () => {
    expect(rememberedOf(withReplica, standby)).toMatchObject({ timeline: 1, wal: "1/0" });
  });

  it("is called by what tells it from others", () => {
    expect(shownSighting(seen)).toBe(
      "database crm at db1:5432, system identifier 7301, timeline 1",
    );
    expect(shownSighting({ ...standby, system: null })).toBe(
      "database crm at db1:5432, whose system identifier this role may not ask for",
    );
  });
});
