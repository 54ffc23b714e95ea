import type { Got, Reject, Row } from "../../../connectors/contract/connector.ts";
import { ConfigError } from "../../../src/errors.ts";
import type { TestCase } from "../../../testing/case.ts";
import { caseChecks } from "../../../testing/checks/cases/cases.ts";
import type { CheckResult } from "../../../testing/run.ts";
import type { SamplePosition } from "../../broken-connectors/right-connection.ts";
import { resultOf, type Changes } from "../result-of.ts";

const ids = ["1", "2", "3", "4", "5"];
/** The rows of the list. */
export const rows = ids.map((id) => ({ id, text: `text ${id}` }));
/** The reject that comes with the third row, if a list has it. */
export const malformed: Reject = {
  where: "list:3",
  code: "no_text",
  reason: "There is no text.",
  row: "3",
};

/** The position after this many rows. */
export function at(place: number): SamplePosition {
  return { changed: "2024-05-01T00:00:00.000000Z", id: String(place) };
}

function placeOf(position: SamplePosition | undefined, otherwise: number): number {
  return position === undefined ? otherwise : Number(position.id);
}

/** Rows by names that are their indices, from 0. */
export function gotOf(names: readonly string[], rowAt: (place: number) => Row): Got<Row> {
  const got = names.map((name) => rowAt(Number(name)));
  return { rows: got, missing: [], where: (index) => names[index] ?? "" };
}

/** A source of five rows whose positions count them; the reject comes with the third row. */
export function list(all: readonly Row[], rejects: readonly Reject[] = []): Changes {
  return {
    async *read({ from, to, pageRowsMax }) {
      const end = placeOf(to, all.length);
      for (let place = placeOf(from, 0); place < end;) {
        const next = Math.min(end, place + Math.max(1, pageRowsMax - rejects.length));
        const page = all.slice(place, next);
        const first = place;
        yield {
          rows: page,
          rejects: place < 3 && next >= 3 ? rejects : [],
          position: at(next),
          where: (index) => String(first + index),
        };
        place = next;
      }
    },
    get: async ({ names }) => gotOf(names, (place) => all[place] ?? {}),
    split: async ({ parts }) => [{ to: at(parts) }, { from: at(parts) }],
    check: async () => [{ name: "list", ok: true, detail: "five rows" }],
    columns: async () => ["id", "text"],
    readLimit: async () => ({ future: 2 }),
    measure: async ({ from, to }) => {
      return { rows: placeOf(to, all.length) - placeOf(from, 0), exact: true };
    },
    rewind: ({ position }) => at(placeOf(position, 0) - 1),
    at: ({ when }) => at(when.getUTCDate()),
    before: async ({ place }) => {
      if (place === "0") throw new ConfigError("there is no place 0");
      return at(Number(place) - 1);
    },
    discover: async () => [found],
    write: async ({ patches }) =>
      patches.map(({ set }) =>
        set["text"] === "" ? { rejected: "empty" } : { done: "unchanged" },
      ),
  };
}

/** What the list discovers: itself. */
export const found = {
  name: "list",
  from: { table: "list" },
  columns: [{ name: "id", type: "string" }],
  key: ["id"],
} as const;

/** Everything that such a source can be asked, with its answers. */
const right: TestCase = {
  what: "a list",
  make: async () => ({ table: "list" }),
  rows,
  overlap: 1,
  columns: ["id", "text"],
  places: { "1": 0, "3": 2, "0": false },
  times: { "2024-05-02T00:00:00Z": 2 },
  findings: [{ name: "list", ok: true, detail: "five rows" }],
  readLimit: { future: 2 },
  discoveries: [found],
  writes: [
    {
      patches: [{ key: { id: "1" }, set: { text: "" } }],
      answers: ["rejected"],
      left: async () => "text 1",
      leaves: "text 1",
    },
  ],
  afterwards: { change: async () => undefined, rows: rows.slice(3) },
};

/** R21's result for the list, with these deviations from the right case and connector. */
export async function tried(
  testCase: Partial<TestCase>,
  changes: Changes = {},
): Promise<CheckResult> {
  return await resultOf(caseChecks, "R21", {
    changes: { ...list(rows), ...changes },
    harness: { cases: [{ ...right, ...testCase }] },
  });
}
