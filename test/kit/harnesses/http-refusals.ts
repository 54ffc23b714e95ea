import type { TestCase, Thrown } from "../../../testing/case.ts";
import { pages, caseOf, type Answer, type Api, type CaseApi } from "./http-api.ts";

const path: Thrown = { code: "ConfigError", field: "path" };
const login: Thrown = { code: "AuthFailed", field: "token" };
const later: Thrown = { code: "Unavailable" };

/** Answers, what they mean, and what `check` tells a person to do. */
const answersInPlace: readonly (readonly [
  what: string,
  answer: Answer,
  throws: Thrown,
  fix: string,
])[] = [
  ["401", { status: 401 }, login, "Check token, or user and password."],
  ["403", { status: 403 }, login, "Check token, or user and password."],
  ["400", { status: 400 }, path, "Set path as the API documents it."],
  ["404", { status: 404 }, path, "Set path as the API documents it."],
  ["204", { status: 204 }, path, "Set path as the API documents it."],
  [
    "a redirect",
    { status: 302, headers: { location: "/c" } },
    path,
    "Set path as the API documents it.",
  ],
  ["429", { status: 429, headers: { "retry-after": "7" } }, later, "Wait."],
  ["500", { status: 500 }, later, "Wait."],
  ["503", { status: 503 }, later, "Wait."],
  ["a page for people", "<p>here</p>", path, "Set path as the API documents it."],
  ["half of an answer", '{"data":[', path, "Set path as the API documents it."],
  ...['{"data":{"0":{}}}', '{"list":[]}', "[]", '"data"', "null"].map(
    (body) =>
      [
        `no list: ${body}`,
        body,
        { code: "ConfigError", field: "rows" },
        "Set rows as the API documents it.",
      ] as const,
  ),
];

function refused(server: CaseApi): readonly TestCase[] {
  return answersInPlace.map(([what, answer, throws, fix]) =>
    caseOf(
      server,
      { answer: () => answer, config: { path: "/v1", rows: "/data" } },
      { what: `${what} in place of rows`, throws, findings: [{ name: "read", ok: false, fix }] },
    ),
  );
}

/** Cursors that point to each other, on pages without rows: the first page points to the first of them. */
const circles: readonly (readonly string[])[] = [
  ["a", "a"],
  ["a", "b", "a"],
  ["a", "b", "c", "a"],
  ["a", "b", "c", "d", "b"],
  ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "d"],
];

function circling(server: CaseApi): readonly TestCase[] {
  const cursor = { parameter: "p", pointer: "/next" };
  return circles.map((circle) => {
    const answers: Record<string, Answer> = {};
    for (const [index, next] of circle.entries()) {
      const target = index === 0 ? "/" : `/?p=${circle[index - 1]}`;
      answers[target] = JSON.stringify({ rows: [], next });
    }
    return caseOf(
      server,
      { answer: pages(answers), config: { cursor, rows: "/rows" } },
      {
        what: `cursors that go in a circle: ${circle.join(", ")}`,
        throws: { code: "ConfigError", field: "cursor", says: "again and again" },
        findings: [{ name: "read", ok: false, fix: "Set cursor as the API documents it." }],
      },
    );
  });
}

/** APIs that fail after the first page. */
const changes: readonly {
  readonly what: string;
  readonly config: Api["config"];
  readonly before: Readonly<Record<string, Answer>>;
  readonly behind: Readonly<Record<string, Answer>>;
  readonly throws: Thrown;
}[] = [
  {
    what: "an API that leaves the page's number out of account",
    config: { page_number: { parameter: "p" } },
    before: { "/?p=1": '[{"id":1}]', "/?p=2": "[]" },
    behind: Object.fromEntries([1, 2, 3].map((page) => [`/?p=${page}`, '[{"id":2}]'])),
    throws: { code: "ConfigError", field: "page_number" },
  },
  {
    what: "a list that is cut off where nothing says how to continue",
    config: { page_size: { parameter: "n", rows: 2 } },
    before: { "/?n=2": '[{"id":1}]' },
    behind: { "/?n=2": '[{"id":1},{"id":2}]' },
    throws: { code: "ConfigError", field: "cursor" },
  },
  {
    what: "a token that is withdrawn",
    config: {},
    before: { "/": '[{"id":1}]' },
    behind: { "/": { status: 401 } },
    throws: login,
  },
];

function changing(server: CaseApi): readonly TestCase[] {
  return changes.map(({ what, config = {}, before, behind, throws }) => {
    const change = async (): Promise<void> => {
      server.answer = pages(behind);
    };
    const told = { what, rows: [{ id: 1 }], afterwards: { change, throws } };
    return caseOf(server, { answer: pages(before), config }, told);
  });
}

/** Members that the schema must refuse. */
const wrong: readonly (readonly [field: string, members: object])[] = [
  ["url", { url: undefined }],
  ["url", { url: "" }],
  ["url", { url: "ftp://api.example.com" }],
  ["url", { url: "https://sluice:pass@api.example.com" }],
  ["url", { url: "https://api.example.com?key=1" }],
  ["url", { url: "https://api.example.com:99999" }],
  ["path", { path: "companies" }],
  ["path", { path: "/companies?status=active" }],
  ["rows", { rows: "data" }],
  ["id", { id: "" }],
  ["query.", { query: { "": "a" } }],
  ["query.a", { query: { a: "" } }],
  ["page_size.rows", { page_size: { parameter: "n", rows: 0 } }],
  ["page_size.parameter", { page_size: { parameter: "", rows: 1 } }],
  ["page_size.rows", { page_size: { parameter: "n" } }],
  ["cursor.pointer", { cursor: { parameter: "p", pointer: "next" } }],
  ["page_number", { page_number: { parameter: "p" }, cursor: { parameter: "p", pointer: "/n" } }],
  ["page_number.first", { page_number: { parameter: "p", first: 0.5 } }],
  ["changed_by.parameter", { changed_by: { column: "c" } }],
  ["token", { token: "" }],
  ["user", { user: "" }],
  ["timeout", { timeout: 5 }],
  ["", { tokens: "a" }],
];

function wronglySet(server: CaseApi): readonly TestCase[] {
  return wrong.map(([field, config]) =>
    caseOf(
      server,
      { answer: () => "[]", config: { ...config } },
      {
        what: `a wrong ${field}: ${JSON.stringify(config)}`,
        throws: { code: "ConfigError", field },
      },
    ),
  );
}

/** Refused sources, and refused settings. */
export function refusalCases(server: CaseApi): readonly TestCase[] {
  const outOfOrder = caseOf(
    server,
    {
      answer: () => '[{"id":1,"at":2},{"id":2,"at":1}]',
      config: { changed_by: { column: "at", parameter: "since" } },
    },
    {
      what: "rows that are not in the order of their changes",
      throws: { code: "ConfigError", field: "query" },
      findings: [
        {
          name: "read",
          ok: false,
          detail: "rows unsorted",
          fix: "Set query as the API documents it.",
        },
      ],
    },
  );
  const nobody = caseOf(
    server,
    { answer: () => "[]", config: { url: "http://127.0.0.1:1" } },
    {
      what: "an address where nobody answers",
      throws: { ...later, says: "Check the address, and whether it can be reached from here." },
      findings: [{ name: "read", ok: false }],
    },
  );
  return [
    nobody,
    ...refused(server),
    ...circling(server),
    ...changing(server),
    ...wronglySet(server),
    outOfOrder,
  ];
}
