import type { Row } from "../../../connectors/contract/connector.ts";
import type { TestCase } from "../../../testing/case.ts";
import { caseOf, type Api, type CaseApi } from "./http-api.ts";

type Changed = Row & { readonly [column: string]: string | number };

/** An API that can be asked for changes. */
type ChangeApi = {
  /** In the order of their changes. */
  readonly rows: () => readonly Changed[];
  readonly column: string;
  readonly pageRows: number;
  /** Whether the rows changed exactly at the requested time are included. */
  readonly includes: boolean;
  readonly by?: "number" | "cursor";
};

/** Seconds, or the number itself. */
function timeOf(change: unknown): number {
  const number = Number(change);
  return Number.isNaN(number) ? Date.parse(String(change)) / 1_000 : number;
}

function changesOf(api: ChangeApi): Api["answer"] {
  let asked = 0;
  return ({ query }) => {
    const since = query.get("since");
    const wanted = api.rows().filter((row) => {
      const late = since === null ? 1 : timeOf(row[api.column]) - timeOf(since);
      return late > 0 || (api.includes && late === 0);
    });
    const start = Number(query.get("page") ?? 1) - 1;
    const end = (start + 1) * api.pageRows;
    const list = wanted.slice(start * api.pageRows, end);
    asked += 1;
    // The order of members has no meaning.
    const turned = asked % 2 === 0 ? list : list.map(turnedRound);
    const next = end < wanted.length ? String(start + 2) : undefined;
    return JSON.stringify({ list: turned, ...(api.by === "cursor" && { next }) });
  };
}

function turnedRound(row: Row): Row {
  return Object.fromEntries(Object.entries(row).toReversed());
}

function members({ column, by, pageRows }: ChangeApi): Readonly<Record<string, unknown>> {
  return {
    path: "/c",
    rows: "/list",
    changed_by: { column, parameter: "since" },
    page_size: { parameter: "n", rows: pageRows },
    ...(by === "number" && { page_number: { parameter: "page" } }),
    ...(by === "cursor" && { cursor: { parameter: "page", pointer: "/next" } }),
  };
}

function apiOf(api: ChangeApi, more: object = {}): Api {
  return { answer: changesOf(api), config: { ...members(api), ...more } };
}

const numbered: readonly Changed[] = [
  { id: 1, seq: 9 },
  ...[2, 3, 4, 5, 6].map((id) => ({ id, seq: 10 })),
  { id: 7, seq: 100 },
  { id: 8, seq: "0101" },
];

/** More rows of one change than a page of the API holds. */
const numbers: ChangeApi = {
  rows: () => numbered,
  column: "seq",
  pageRows: 2,
  includes: true,
  by: "number",
};

const second = "2026-03-29T00:59:59";
const timed: readonly Changed[] = [
  { k: "a", at: `${second}Z` },
  { k: "b", at: `${second}.5Z` },
  { k: "c", at: `${second}.5Z` },
  { k: "d", at: `${second}.5Z` },
  { k: "e", at: "2026-03-29T01:00:00Z" },
];

/** One of three rows that changed at the same time changes again, and moves. */
const later: readonly Changed[] = [
  ...timed.filter(({ k }) => k !== "b"),
  { k: "b", at: "2026-03-29T01:00:00.000001Z" },
  { k: "f", at: "2026-03-29T01:00:01Z" },
];

function timesCase(server: CaseApi): TestCase {
  let rows = timed;
  const api: ChangeApi = {
    rows: () => rows,
    column: "at",
    pageRows: 2,
    includes: false,
    by: "cursor",
  };
  const testCase = caseOf(server, apiOf(api, { id: "k" }), {
    what: "times with and without a fraction, without the time that is asked for",
    rows: timed,
    afterwards: {
      change: async () => {
        rows = later;
      },
      rows: later.filter(({ k }) => k !== "a"),
    },
  });
  return {
    ...testCase,
    make: async () => {
      rows = timed;
      return await testCase.make();
    },
  };
}

/** Full pages without a next one: the rest is requested by the time of the row before the last. */
function cutCase(server: CaseApi): TestCase {
  const rows = [1, 2, 3, 4, 5, 6, 7].map((id) => ({ id, seq: id }));
  const all: Changed[] = [];
  const api: ChangeApi = { rows: () => all, column: "seq", pageRows: 3, includes: true };
  const testCase = caseOf(server, apiOf(api), {
    what: "full pages that no other one follows, then more of one change than a page holds",
    rows,
    afterwards: {
      change: async () => void all.push(...[8, 9, 10, 11].map((id) => ({ id, seq: 8 }))),
      throws: { code: "ConfigError", field: "cursor" },
    },
  });
  return {
    ...testCase,
    make: async () => {
      all.splice(0, Infinity, ...rows);
      return await testCase.make();
    },
  };
}

const coarse = JSON.stringify([
  { id: 1, seq: 1 },
  { seq: 2 },
  { id: 3 },
  { id: 4, seq: "never" },
  17,
  { id: 5, seq: null },
  { id: 6, seq: 3 },
  { seq: 3 },
]);

/** Two pages of one change; the second begins with an entry that has no change. */
const torn: readonly (readonly Row[])[] = [
  [
    { id: 2, seq: 2 },
    { id: 3, seq: 2 },
  ],
  [
    { id: 9, seq: "never" },
    { id: 4, seq: 2 },
  ],
];

function noRow(where: string, row: string): NonNullable<TestCase["rejects"]>[number] {
  const reason = "it is not an object that has the id and the change column";
  return { where, code: "no_row", reason, row };
}

/** Sources that are asked for changes. */
export function changeCases(server: CaseApi): readonly TestCase[] {
  const changed_by = { column: "seq", parameter: "since" };
  return [
    caseOf(server, apiOf(numbers), {
      what: "whole numbers, more of one than a page holds",
      rows: numbered,
    }),
    caseOf(server, apiOf({ ...numbers, by: "cursor", includes: false, pageRows: 3 }), {
      what: "whole numbers by cursor, without the one that is asked for",
      rows: numbered,
    }),
    caseOf(
      server,
      {
        answer: ({ query }) => JSON.stringify(torn[Number(query.get("page")) - 1] ?? []),
        config: { path: "/c", changed_by, page_number: { parameter: "page" } },
      },
      {
        what: "a page that begins with an entry that is not a row",
        rows: [2, 3, 4].map((id) => ({ id, seq: 2 })),
        rejects: [noRow("/c:9", '{"id":9,"seq":"never"}')],
      },
    ),
    timesCase(server),
    cutCase(server),
    caseOf(
      server,
      { answer: () => coarse, config: { path: "/c", changed_by } },
      {
        what: "an API that gives all whatever it is asked for, with entries that are no rows",
        rows: [
          { id: 1, seq: 1 },
          { id: 6, seq: 3 },
        ],
        rejects: [
          noRow("/c:2#2", '{"seq":2}'),
          noRow("/c:3", '{"id":3}'),
          noRow("/c:4", '{"id":4,"seq":"never"}'),
          noRow("/c:2#5", "17"),
          noRow("/c:5", '{"id":5,"seq":null}'),
          noRow("/c:3#8", '{"seq":3}'),
        ],
      },
    ),
  ];
}
