import type { TestCase } from "../../../testing/case.ts";
import { casesOf, type Site, type Sketch } from "./postgres-cases-sketch.ts";

type Members = Readonly<Record<string, unknown>>;

/** What is wrong, and the member that the error names. */
type Wrong = readonly [what: string, from: Members, field: string];

/** A name of 64 bytes; Postgres keeps 63. */
const tooLong = "é".repeat(32);

/** Names of columns and tables that the server does not have. */
const names: readonly Wrong[] = [
  ["a key without a column", { key: [] }, "key"],
  ["a column that is in the key twice", { key: ["id", "text", "id"] }, "key"],
  ["a key of 33 columns", { key: Array.from({ length: 33 }, (_, at) => `c${at}`) }, "key"],
  ["a key column without a name", { key: [""] }, "key.0"],
  ["a key column with a NUL", { key: ["id", "a\0b"] }, "key.1"],
  ["a key column of 64 bytes", { key: [tooLong] }, "key.0"],
  ["a change column without a name", { changed_by: { column: "" } }, "changed_by.column"],
  ["a table without a name", { table: "" }, "table"],
  ["a table of 64 bytes", { table: tooLong }, "table"],
  ["a table of 64 bytes in a schema", { table: `sample.${tooLong}` }, "table"],
  ["a table with three names", { table: "a.b.c" }, "table"],
  ["a table that ends with a dot", { table: "a." }, "table"],
  ["a table of two quoted names in one", { table: `"a"b` }, "table"],
  ["a table of an open quote", { table: `"` }, "table"],
];

const values: readonly Wrong[] = [
  ["less than no overlap", { changed_by: { column: "id", overlap: -1 } }, "changed_by.overlap"],
  ["half a row of overlap", { changed_by: { column: "id", overlap: 1.5 } }, "changed_by.overlap"],
  ["statements of more than a day", { statement_timeout: "1441m" }, "statement_timeout"],
  ["no query", { table: undefined, query: "", key: ["id"] }, "query"],
  ["a table and a query", { query: "select 1 as id" }, "query"],
  ["no folder", { folder: "" }, "folder"],
  ["no certificates", { ca_file: "" }, "ca_file"],
  ["certificates without TLS", { tls: "off", ca_file: "c" }, "ca_file"],
];

/** Members in place of a URL. */
function hosts({ role, port }: Site): readonly Wrong[] {
  const host = { url: undefined, host: "127.0.0.1", port, user: role };
  return [
    ["a port of 0", { ...host, port: 0 }, "port"],
    ["a port of 65536", { ...host, port: 65_536 }, "port"],
    ["an empty host", { ...host, host: "" }, "host"],
    ["an empty user", { ...host, user: "" }, "user"],
    ["an empty database", { ...host, database: "" }, "database"],
    ["no user", { ...host, user: undefined }, "user"],
    ["no host", { ...host, host: undefined }, "url"],
    ["a URL and a host", { host: "127.0.0.1" }, "host"],
    ["a URL and a database", { database: role }, "database"],
    ["a socket with TLS", { ...host, host: "/tmp", tls: "require" }, "tls"],
  ];
}

function urls({ role, password, port }: Site): readonly Wrong[] {
  const server = `127.0.0.1:${port}`;
  const right = `postgres://${role}:${password}@${server}/${role}`;
  const wrong = {
    "a URL that is none": "127.0.0.1",
    "a URL of another kind of server": right.replace("postgres:", "mysql:"),
    "a URL that begins with another word": `x${right}`,
    "a % in a password": right.replace(password, "100%"),
    "a % in a database": `${right}%`,
    "a % in a host": `postgres://${role}:${password}@%zz:${port}/${role}`,
    "an @ after a /": `postgres://${role}@${server}/${password}@${server}`,
    "a URL without a user": `postgres://${server}/${role}`,
    "a URL without a host": `${right}?host=`,
    "a URL with a parameter of other programs": `${right}?target_session_attrs=any`,
    "a URL that lets TLS be turned off": `${right}?sslmode=prefer`,
  };
  return Object.entries(wrong).map(([what, url]) => [what, { url }, "url"] as const);
}

/** Configurations that are refused before any request. */
export function refusedSettings(site: Site): readonly TestCase[] {
  const wrong = [...names, ...values, ...hosts(site), ...urls(site)];
  const sketches = wrong.map(([what, from, field]): Sketch => ({
    what,
    from,
    throws: { code: "ConfigError", field },
  }));
  return casesOf(site, sketches);
}
