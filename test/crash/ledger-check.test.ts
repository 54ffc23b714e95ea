import { describe, expect, it } from "vitest";

import type { RunReport } from "../../src/report/report.ts";
import type { LedgerEntry } from "../../src/sandbox/ledger.ts";
import { checkLedger } from "../support/ledger/check.ts";
import {
  canonicalJson,
  type HeldRecord,
  type LedgerFacts,
  type StoreFacts,
} from "../support/ledger/facts.ts";
import {
  entry,
  firstChunk,
  heldBy,
  nameOf,
  oracle,
  partOne,
  partTwo,
  report,
  snapshot,
  sound,
  store,
  upload,
  uploadOne,
} from "./sound-facts.ts";

function withLedger(...more: readonly LedgerEntry[]): LedgerFacts {
  const { ledger, records } = sound.service;
  return { ...sound, service: { records, ledger: [...ledger, ...more] } };
}

function withRecords(more: Readonly<Record<string, HeldRecord>>): LedgerFacts {
  const records = new Map([...sound.service.records, ...Object.entries(more)]);
  return { ...sound, service: { ...sound.service, records } };
}

function withRejects(...rejects: StoreFacts["rejects"]): LedgerFacts {
  return { ...sound, store: { ...store, rejects } };
}

function withReport(more: Partial<RunReport>): LedgerFacts {
  return { ...sound, report: { ...report, ...more } };
}

function withSnapshot(more: Partial<StoreFacts>): LedgerFacts {
  return { ...sound, snapshots: [{ ...snapshot, store: { ...snapshot.store, ...more } }] };
}

const again = upload("k3", 3, { hash: "hash-2", records: 1 });

/** Changes to the facts, and what the check must then report. */
const doctored: readonly (readonly [string, LedgerFacts, RegExp])[] = [
  [
    "L1 a record is not held",
    withRecords({ a5: { record: "", fileKey: "k0" } }),
    /L1: rows lost: 1 \(a5/,
  ],
  [
    "L1 an unchanged record is another",
    withRecords({ a3: { record: "{}", fileKey: "k0" } }),
    /L1: rows called unchanged .* \(a3/,
  ],
  [
    "L1 fewer records were taken than rows",
    { ...sound, service: { ...sound.service, ledger: uploadOne } },
    /L1: the service took 2 records of 3 rows/,
  ],
  [
    "L2 a record that no row has",
    withRecords({ a9: { record: "{}", fileKey: "k2" } }),
    /L2: records taken that no row .* \(a9/,
  ],
  [
    "L2 a filtered row that was taken",
    withRecords({ a4: { record: nameOf("a4"), fileKey: "k2" } }),
    /L2: records taken that no row .* \(a4/,
  ],
  [
    "L2 another content",
    withRecords({ a5: { record: nameOf("a6"), fileKey: "k2" } }),
    /L2: .* another content: 1 \(a5/,
  ],
  ["L3 a reject is missing", withRejects(), /L3: .* are not: 1 \(accounts\.csv:3/],
  [
    "L3 an accepted row among the rejects",
    withRejects(...store.rejects, { place: "accounts.csv:2", code: "required" }),
    /L3: rejects that should be none: 1 \(accounts\.csv:2/,
  ],
  [
    "L3 a reject twice",
    withRejects(...store.rejects, ...store.rejects),
    /L3: rejects that are there twice: 1/,
  ],
  [
    "L3 another reason",
    withRejects({ place: "accounts.csv:3", code: "required" }),
    /L3: .* required and not duplicate_key/,
  ],
  [
    "L4 more was repeated than was under way",
    { ...withLedger(...again), ambiguities: [] },
    /L4: 1 records were repeated, 0 were under way/,
  ],
  [
    "L4 more was repeated than the report admits",
    { ...withLedger(...again), report: { ...report, possibly_repeated: 0 } },
    /L4: .* possibly 0/,
  ],
  ["L5 a content under two keys", withLedger(...again), /L5: .* \(hash-2 under k2 and k3/],
  [
    "L5 a second key that was not applied",
    withLedger(...again.map((each) => ({ ...each, applied: false }))),
    /L5: .* \(hash-2 under k2 and k3/,
  ],
  [
    "L6 the checkpoint goes back",
    withSnapshot({ version: 4 }),
    /L6: the checkpoint went back at the end/,
  ],
  [
    "L6 fewer rows are covered later",
    { ...sound, snapshots: [{ ...snapshot, store }, snapshot] },
    /L6: the checkpoint went back at snapshot 2: 6 rows, then 4/,
  ],
  [
    "L6 the last checkpoint does not cover the end",
    { ...sound, store: { ...store, covered: firstChunk } },
    /L6: rows the last checkpoint covers is 4, should be 6/,
  ],
  [
    "P4 the checkpoint covers a record that was not accepted",
    {
      ...sound,
      snapshots: [
        {
          service: { ledger: uploadOne, records: heldBy({ a3: "k0", a1: "k1", a2: "k1" }) },
          store: { ...snapshot.store, covered: oracle.length },
        },
      ],
    },
    /P4: .* at snapshot 1 .* \(a5 at accounts\.csv:7\)/,
  ],
  [
    "P4 the checkpoint covers a reject that is not stored",
    withSnapshot({ rejects: [] }),
    /P4: .* at snapshot 1 .* \(a1 at accounts\.csv:3\)/,
  ],
  [
    "P4 the checkpoint covers an unchanged row that the service never had",
    {
      ...sound,
      snapshots: [
        {
          ...snapshot,
          service: { ...snapshot.service, records: heldBy({ a1: "k1", a2: "k1" }) },
        },
      ],
    },
    /P4: .* at snapshot 1 .* \(a3 at accounts\.csv:5\)/,
  ],
  [
    "L7 a count",
    withReport({ counts: { ...report.counts, unchanged: 2 } }),
    /L7: the report's unchanged is 2, should be 1/,
  ],
  ["L7 the balance", withReport({ balanced: false }), /L7: balanced is false/],
  [
    "L7 the outcome",
    withReport({ outcome: "done" }),
    /L7: the outcome is done, should be done_with/,
  ],
  [
    "L7 a reject reason",
    withReport({ reject_reasons: [{ code: "required", reason: "", count: 1, example: "" }] }),
    /L7: the report's rejects for required is 1, should be 0/,
  ],
  [
    "L7 the checkpoints",
    withReport({ checkpoint: { before: 2, after: 3 } }),
    /L7: the report's checkpoints is 1, should be 2/,
  ],
  [
    "L7 the bytes",
    withReport({ bytes: { json: 600, gzip: 201 } }),
    /L7: the report's gzip bytes is 201, should be 200/,
  ],
  [
    "L7 a part that the ledger has otherwise",
    { ...sound, store: { ...store, parts: [partOne, { ...partTwo, gzipBytes: 99 }] } },
    /L7: parts that the ledger has otherwise: 1 \(k2 of chunk 2/,
  ],
  [
    "L8 a request while its limit is blocked",
    {
      ...sound,
      silences: [
        {
          fromMs: Date.parse("2026-01-01T00:00:01.500Z"),
          toMs: Date.parse("2026-01-01T00:00:03.000Z"),
          why: "while the limit was blocked",
        },
      ],
    },
    /L8: requests while the limit was blocked: 2 \(put at 2026/,
  ],
  [
    "L10 a secret in a text",
    { ...sound, canaries: ["canary"], texts: [{ where: "the log", text: "a canary" }] },
    /L10: .* \(the log/,
  ],
  [
    "L11 a figure beyond its limit",
    { ...sound, measures: [{ what: "files left", value: 1, max: 0 }] },
    /L11: files left: 1, at most 0/,
  ],
];

describe("checkLedger", () => {
  it("finds nothing where nothing was lost, and tells how much it looked at", () => {
    expect(checkLedger(sound)).toEqual({
      violations: [],
      numbers: {
        rows: 6,
        flowed: 3,
        accepted: 3,
        repeated: 0,
        ambiguities: 1,
        duringPut: 0,
        afterAppliedConfirm: 1,
      },
    });
  });

  it.each(doctored)("finds it: %s", (_what, facts, finding) => {
    expect(checkLedger(facts).violations).toContainEqual(expect.stringMatching(finding));
  });

  it("takes a repeated record that was under way and admitted", () => {
    const { violations } = checkLedger(withLedger(...again));
    expect(violations.filter((each) => each.startsWith("L4"))).toEqual([]);
  });

  it("lets another key stand where the service refused the first", () => {
    const refused = entry("confirm-upload", 3, { file_key: "k2", status: 404 });
    const { violations } = checkLedger(withLedger(refused, ...again));
    expect(violations.filter((each) => each.startsWith("L5"))).toEqual([]);
  });
});

describe("canonicalJson", () => {
  it("writes equal values alike, whatever the order of their members", () => {
    const [one, other] = [
      { b: [{ d: 1, c: 2 }], a: null },
      { a: null, b: [{ c: 2, d: 1 }] },
    ];
    expect(canonicalJson(one)).toBe('{"a":null,"b":[{"c":2,"d":1}]}');
    expect(canonicalJson(other)).toBe(canonicalJson(one));
  });
});
