import type { FaultAction } from "../../../src/sandbox/faults/faults.ts";
import { answering, startRaw } from "../../support/raw-server.ts";
import { says, type Case, type Column, type Meets } from "../play/cell.ts";

const date = "Thu, 01 Jan 2026 00:00:00 GMT";
const [twoMinutes, day] = [120_000, 86_400_000];

function answered(status: number, headers: Readonly<Record<string, string>> = {}): Meets {
  return { action: { status, headers } };
}

function each(statuses: readonly number[], of: Omit<Case, "fault" | "meets">): Case[] {
  return statuses.map((status) => ({
    ...of,
    fault: `answered ${status}`,
    meets: answered(status),
  }));
}

/** A 429 with a hint that gives the wait. */
function rateLimited(hint: string, row: number, wait: readonly [number, number]): Case {
  const meets = answered(429, { date, "retry-after": hint });
  return { row, fault: `answered 429 with Retry-After: "${hint}"`, meets, says: says({ wait }) };
}

/** The range from which a wait without a usable hint is drawn. */
const drawn = [1_000, 2_000] as const;

const tooOften: readonly Case[] = [
  rateLimited("120", 1, [twoMinutes, twoMinutes]),
  rateLimited("Thu, 01 Jan 2026 00:02:00 GMT", 2, [twoMinutes, twoMinutes]),
  rateLimited("Thursday, 01-Jan-26 00:02:00 GMT", 2, [twoMinutes, twoMinutes]),
  rateLimited("Thu Jan  1 00:02:00 2026", 2, [twoMinutes, twoMinutes]),
  rateLimited("Wed, 31 Dec 2025 23:00:00 GMT", 2, [1_000, 1_000]),
  {
    row: 3,
    fault: "answered 429 without a hint",
    meets: answered(429),
    says: says({ wait: drawn }),
  },
  rateLimited("86400", 4, [day, day]),
  {
    row: 4,
    fault: "answered 429 with more than a day to wait",
    meets: answered(429, { "retry-after": "1000000000000" }),
    says: says("SC"),
  },
  ...["-5", "1.5", "abc", ""].map((hint) => rateLimited(hint, 5, drawn)),
  {
    row: 5,
    fault: "answered 429 with two hints",
    meets: {
      server: async () =>
        await startRaw(
          answering(
            "HTTP/1.1 429 Slow\r\nretry-after: 5\r\nretry-after: 7\r\ncontent-length: 0\r\n\r\n",
          ),
        ),
    },
    says: says({ wait: drawn }),
  },
  rateLimited("0", 5, [1_000, 1_000]),
];

const unwell: readonly Case[] = [
  ...each([500, 502, 504], { row: 6, says: says("AMB", { generate: "RT", put: "RG" }) }),
  ...each([503], { row: 7, says: says("AMB", { generate: "RT", put: "RG" }) }),
  {
    row: 7,
    fault: "answered 503 with a time to wait",
    meets: answered(503, { "retry-after": "120" }),
    // Stricter than the table for confirm and a page: a request refused by a gateway may have reached the service.
    says: says(
      { doubt: twoMinutes },
      { generate: { wait: [twoMinutes, twoMinutes] }, put: { wait: [twoMinutes, twoMinutes] } },
    ),
  },
  {
    row: 7,
    fault: "answered 503 SlowDown",
    meets: { action: { status: 503, body: "<Error><Code>SlowDown</Code></Error>" } },
    says: says({ doubt: 2_000 }, { generate: { wait: drawn }, put: { wait: drawn } }),
  },
  ...each([501], { row: 8, says: says("SC") }),
];

const refused: readonly Case[] = [
  ...each([401], { row: 9, says: says("SA", { put: "SC" }) }),
  ...each([403], { row: 10, says: says("SA", { put: "RG x3" }) }),
  {
    row: 10,
    fault: "answered 400 ExpiredToken",
    meets: { action: { status: 400, body: "<Error><Code>ExpiredToken</Code></Error>" } },
    says: says({ none: "only an object store answers so" }, { put: "RG x3" }),
  },
  ...each([404], { row: 11, says: says("SC", { put: "RG x3", confirm: "RT x5, RG" }) }),
  ...each([405, 406, 411, 412, 415], { row: 12, says: says("SC") }),
  ...each([408], { row: 13, says: says("AMB", { generate: "RT", put: "RG" }) }),
  {
    row: 13,
    fault: "answered 400 RequestTimeout",
    meets: { action: { status: 400, body: "<Error><Code>RequestTimeout</Code></Error>" } },
    says: says("AMB", { generate: "RT", put: "RG" }),
  },
  ...each([409], {
    row: 14,
    says: says("SC", { generate: "RT x3", put: "RG x3", confirm: "RT x3" }),
  }),
  {
    row: 14,
    fault: "answered 409 that it was done already",
    meets: { action: { status: 409, body: { message: "The upload is already confirmed" } } },
    isBelieved: true,
    says: says("SC", { generate: "RT x3", put: "RG x3", confirm: "OK" }),
  },
  ...each([410], { row: 15, says: says("SC", { put: "RG", confirm: "RG key" }) }),
  ...each([413], { row: 16, says: says("SP", { generate: "SC", confirm: "SC" }) }),
  ...each([301, 302, 303, 307, 308], { row: 18, says: says("SC") }),
  ...each([201, 202, 204, 206], {
    row: 22,
    // Stricter than the table for confirm: after a 2xx the file may have been processed, so it stays in doubt.
    says: says("SC", { put: "RG x3", confirm: "AMB x3", json: "AMB x3" }),
  }),
];

const prefixes: Readonly<Partial<Record<Column, readonly string[]>>> = {
  json: ["body", "data"],
  search: ["body", "filters"],
};

/** A complaint about the record `index` of a request, or the filter of a query. */
function naming(column: Column, index: number): FaultAction {
  const prefix = prefixes[column] ?? ["file"];
  const detail = [
    { loc: [...prefix, index, "domain"], msg: "c0.example is bad", type: "value_error" },
  ];
  return { status: 422, body: { detail } };
}

const schema: readonly Case[] = [
  ...[400, 422].map((status) => ({
    row: 17,
    fault: `answered ${status} with a message`,
    meets: { action: { status, body: { message: "Invalid input", details: "c0.example" } } },
    says: says("SC", { confirm: "SP", json: "SP" }),
  })),
  {
    row: 17,
    fault: "answered 422 with a detail that is text",
    meets: { action: { status: 422, body: { detail: "c0.example is invalid" } } },
    says: says("SC", { confirm: "SP", json: "SP" }),
  },
  {
    row: 17,
    fault: "answered 422 naming the first record",
    meets: (column) => ({ action: naming(column, 0) }),
    says: says("SC", { confirm: "DL", json: "DL" }),
  },
  {
    row: 17,
    fault: "answered 422 naming a record that was not sent",
    meets: (column) => ({ action: naming(column, 5) }),
    says: says("SC", { confirm: "SP", json: "SP" }),
  },
  {
    row: 19,
    fault: "answered 200 whose status says error",
    meets: { action: { status: 200, body: { status: "error", message: "no" } } },
    says: says("SC", {
      put: { none: "the answer to a PUT has no body that counts" },
      confirm: "SP",
      json: "SP",
    }),
  },
  {
    row: 47,
    fault: "answered 429 that the credits are exhausted, beside a time to wait",
    meets: {
      action: {
        status: 429,
        headers: { "retry-after": "5" },
        body: { message: "Credits exhausted" },
      },
    },
    says: says("SQ", { put: { none: "a storage host knows no credits" } }),
  },
];

/** Rows 1 to 19, 22 and 47: the meaning of a status. */
export const answers: readonly Case[] = [...tooOften, ...unwell, ...refused, ...schema];
