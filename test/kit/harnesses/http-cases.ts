import type { Row } from "../../../connectors/contract/connector.ts";
import { LongNumber } from "../../../src/mapping/refusal.ts";
import type { TestCase } from "../../../testing/case.ts";
import { pages, caseOf, type Api, type CaseApi, type Told } from "./http-api.ts";
import { changeCases } from "./http-changes.ts";
import { refusalCases } from "./http-refusals.ts";

function basic(login: string): string {
  return `Basic ${Buffer.from(login).toString("base64")}`;
}

const wholeList = `[
  {"id":9007199254740993,"share":0.12345678901234567,"least":123456789012345,"more":1234567890123456},
  {"id":"007","text":"1234567890123456","constructor":2,"share":-0.5},
  {"name":"without an id","list":[1,{"a":null}],"isSo":true},
  {"id":4}
]`;

const wholeRows: readonly Row[] = [
  {
    id: new LongNumber("9007199254740993"),
    share: new LongNumber("0.12345678901234567"),
    least: 123_456_789_012_345,
    more: 1_234_567_890_123_456,
  },
  { id: "007", text: "1234567890123456", constructor: 2, share: -0.5 },
  { name: "without an id", list: [1, { a: null }], isSo: true },
  { id: 4 },
];

const fine = [{ name: "read", ok: true }];

function row(id: number): Row {
  return { id };
}

function numbered(...ids: readonly number[]): string {
  return JSON.stringify(ids.map(row));
}

const many = Array.from({ length: 10_001 }, (_, id) => id);

/** Lists that are read whole in each run. */
const lists: readonly (readonly [Api, Told])[] = [
  [
    { answer: pages({ "/": wholeList }) },
    { what: "a list that is the whole answer", rows: wholeRows, findings: fine },
  ],
  [
    { answer: pages({ "/": numbered(...many) }) },
    { what: "10,001 rows on one page", isUncut: true, rows: many.map(row) },
  ],
  [
    { answer: pages({ "/": "[]" }), config: { page_size: undefined } },
    { what: "an empty list", findings: fine },
  ],
  [
    {
      answer: pages({ "/v1/c": '[{"id":1},17,{"id":2},"a",null,[1],{"k":3}]' }),
      config: { path: "/v1/c", id: "k" },
    },
    {
      what: "entries that are no rows",
      rows: [{ id: 1 }, { id: 2 }, { k: 3 }],
      rejects: [
        { where: "/v1/c:#2", code: "no_row", reason: "it is not an object", row: "17" },
        { where: "/v1/c:#4", code: "no_row", reason: "it is not an object", row: '"a"' },
        { where: "/v1/c:#5", code: "no_row", reason: "it is not an object", row: "null" },
        { where: "/v1/c:#6", code: "no_row", reason: "it is not an object", row: "[1]" },
      ],
      findings: fine,
    },
  ],
  [
    { answer: pages({ "/": '[17,{"id":1}]' }) },
    {
      what: "an entry that is no row before all others",
      rows: [{ id: 1 }],
      rejects: [{ where: ":#1", code: "no_row" }],
      findings: [{ name: "read", ok: false, fix: "it is not an object" }],
    },
  ],
  [
    {
      answer: pages({
        "/c?kind=a+b&n=2": '{"~l":{"a/b":[{"id":1},{"id":2}]},"m":{"next":"z y"}}',
        "/c?kind=a+b&n=2&p=z+y": '{"~l":{"a/b":[]},"m":{"next":5}}',
        "/c?kind=a+b&n=2&p=5": '{"~l":{"a/b":[17,{"id":3}]},"m":{"next":"b"}}',
        "/c?kind=a+b&n=2&p=b": '{"~l":{"a/b":[{"id":4},{"id":5}]},"m":{"next":"a"}}',
        "/c?kind=a+b&n=2&p=a": '{"~l":{"a/b":[{"id":6}]},"m":{"next":null}}',
      }),
      config: {
        path: "/c",
        rows: "/~0l/a~1b",
        query: { kind: "a b" },
        page_size: { parameter: "n", rows: 2 },
        cursor: { parameter: "p", pointer: "/m/next" },
      },
    },
    {
      what: "pages by cursors in no order",
      rows: [1, 2, 3, 4, 5, 6].map(row),
      rejects: [{ where: "/c:5#1", code: "no_row" }],
    },
  ],
  [
    {
      answer: pages(
        {
          "/c?n=2&p=0": numbered(1, 2),
          "/c?n=2&p=1": numbered(3),
          "/c?n=2&p=2": numbered(4, 5),
          "/c?n=2&p=3": numbered(),
        },
        basic("u:"),
      ),
      config: {
        path: "/c",
        page_size: { parameter: "n", rows: 2 },
        page_number: { parameter: "p", first: 0 },
        user: "u",
      },
    },
    {
      what: "pages by number from 0 until one is empty, for a user without a password",
      rows: [1, 2, 3, 4, 5].map(row),
    },
  ],
  [
    {
      answer: pages({ "/?p=1": numbered(1), "/?p=2": numbered() }, basic("sluice:p:w")),
      config: { page_number: { parameter: "p" }, user: "sluice", password: "p:w", token: "t" },
    },
    { what: "pages by number from 1, for a user with a password", rows: [row(1)] },
  ],
  [
    {
      answer: pages({ "/?n=1": numbered(1, 2) }, "Bearer t"),
      config: { page_size: { parameter: "n", rows: 1 }, token: "t" },
    },
    { what: "more rows than were asked for, by token", rows: [row(1), row(2)] },
  ],
];

/** Sources that only APIs offer, on a server of their own. */
export function httpCases(server: CaseApi): readonly TestCase[] {
  return [
    ...lists.map(([api, told]) => caseOf(server, api, told)),
    ...changeCases(server),
    ...refusalCases(server),
  ];
}
