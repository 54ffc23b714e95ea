import { hash } from "node:crypto";

import { Agent, request, type Dispatcher } from "undici";
import { z } from "zod";

import { retryAfterMs } from "../../src/api/http/retry-after.ts";
import { duration } from "../../src/config/schema/units.ts";
import { ConfigError, RetryLater, SluiceError, SourceAuthError } from "../../src/errors.ts";
import { isCarried } from "../../src/mapping/json-row.ts";
import { LongNumber } from "../../src/mapping/refusal.ts";
import { isPlainObject } from "../../src/records/json-value.ts";
import {
  pullSource,
  secret,
  type Page,
  type ReadAsk,
  type Reject,
  type Row,
} from "../contract/connector.ts";

const [string, text] = [z.string(), z.string().min(1)];
const parameter = text.describe("The name of the query parameter.");
const pointer = string.regex(/^\//, "a JSON pointer: /meta").describe("A JSON pointer to it.");
const rows = z.int().min(1).describe("The number of rows.");
const first = z.int().default(1).describe("The number of the first page.");
const column = text.describe("Times, all in one format and zone, or whole numbers from 0.");

const members = z.strictObject({
  url: text.regex(/^https?:\/\/[^@?#]+$/, "not an address alone").describe("The API's address."),
  path: text.startsWith("/").optional().describe("What is read, after the path of `url`."),
  rows: pointer.optional().describe("The JSON pointer to the list of rows. Unset: the answer."),
  id: text.default("id").describe("The member that names a row."),
  query: z.record(text, text).default({}).describe("Further parameters: filters, order."),
  page_size: z.strictObject({ parameter, rows }).optional().describe("Rows to ask for."),
  cursor: z.strictObject({ parameter, pointer }).optional().describe("Each page names the next."),
  page_number: z.strictObject({ parameter, first }).optional().describe("Pages have numbers."),
  changed_by: z.strictObject({ column, parameter }).optional().describe("Reads what changed."),
  token: secret().optional().describe("Sent as a bearer token."),
  user: text.optional().describe("In place of `token`: sent as HTTP Basic has it."),
  password: secret().optional().describe("The password of `user`, if there is one."),
  timeout: duration().prefault("30s").describe("How long one request may take in all."),
});

/**
 * Covers the groups before `at`, and what `seen` names of that one. With a change column a group is what changed at one time; asked for is
 * what changed since the group before, as some APIs leave out the time that they are given. Its entries are named with a hash of what they
 * hold, because a row may change twice at one time. Without a change column a group is a page of the API, of which the last entry is named.
 */
const place = z.strictObject({ of: string, since: string, at: string, seen: string.array() });

type Position = z.output<typeof place>;
type Ask = ReadAsk<z.output<typeof members>, Position>;
/** An entry of the API's list, which is a row or a reject. */
type Entry = {
  group: string;
  key: string;
  /** A hash of what it holds, of `signChars`; with a change column only. */
  sign: string;
  where: string;
  row?: Row;
  reject?: Reject;
};
/** Where the list stands that is asked for page by page. */
type Walk = { group: string; isBegun: boolean };

/** Rows that changed at one time, each of which a position names. */
const seenMax = 10_000;

const signChars = 12;

async function* read(ask: Ask): AsyncGenerator<Page<Row, Position>> {
  const { config, to, pageRowsMax, limit = Infinity } = ask;
  const isAll = config.changed_by === undefined;
  const start = config.page_number === undefined ? "" : `${config.page_number.first}`;
  const of = JSON.stringify([config.url, config.path, config.changed_by]);
  // A position of another reading says nothing of this one: everything is read again.
  let done = ask.from?.of === of ? ask.from : { of, since: "", at: isAll ? start : "", seen: [] };
  const walk: Walk = { group: done.since, isBegun: false };
  let wasUnsorted = false;
  const agent = new Agent({ maxResponseSize: 32 * 1024 * 1024 });
  await using _ = { [Symbol.asyncDispose]: async () => await agent.destroy() };
  for (let [page, left, mark, asked] = [isAll ? done.at : start, limit, "", 1]; left > 0; asked++) {
    const { since } = done;
    const { list, next, sign, isCut } = await answerOf({ ...ask, agent, page, since });
    const entries = entriesOf(list, ask, isAll ? { group: page, isBegun: false } : walk);
    // Rows that the API shows late move others to the next page: asked for anew, only a list without order is unsorted again.
    if (entries === undefined) {
      if (wasUnsorted) throw wrong("rows unsorted", "query");
      [page, mark, wasUnsorted] = [start, "", true];
      Object.assign(walk, { group: since, isBegun: false });
      continue;
    }
    const known = coveredBy(done, entries, isAll);
    const wanted = to && !(isAll && page !== to.at) ? coveredBy(to, entries, isAll) : undefined;
    const fresh = entries.filter((entry) => !known.has(entry) && wanted?.has(entry) !== false);
    for (let index = 0; index < fresh.length && left > 0; index += pageRowsMax) {
      const taken = fresh.slice(index, index + pageRowsMax);
      const found = taken.filter(({ row }) => row);
      const rejects = taken.flatMap(({ reject }) => reject ?? []);
      [done, left] = [behind(done, taken, isAll), left - taken.length];
      const where = (at: number): string => found[at]?.where ?? "";
      yield { rows: found.map(({ row = {} }) => row), rejects, where, position: done };
    }
    // A row that changes leaves its place and moves others to the page before, so that one is asked for anew.
    const isAnew = !isAll && done.since !== since;
    if (isCut && !isAnew && !to && left > 0) throw wrong("a full page, no next one", "cursor");
    if (!isAnew && (next === "" || (isAll && page === to?.at))) return;
    if (!isAnew && sign === mark) throw wrong("one cursor or page comes again and again", "cursor");
    Object.assign(walk, isAnew ? { group: done.since, isBegun: false } : { isBegun: true });
    if (isAnew) wasUnsorted = false;
    // The 1st, 2nd, 4th, 8th … page must not come again: a circle that a read goes round is noticed, and one page held.
    [page, mark] = isAnew ? [start, ""] : [next, (asked & (asked - 1)) === 0 ? sign : mark];
  }
}

/** The entries of a page that a position covers. */
function coveredBy({ at, seen }: Position, entries: readonly Entry[], isAll: boolean): Set<Entry> {
  if (isAll) {
    const last = Number(seen.at(-1));
    return new Set(entries.filter(({ group, key }) => group === at && Number(key) <= last));
  }
  const signs = signsOf(seen);
  const those = entries.filter(({ group }) => group === at);
  // By the last entry of a key: what comes before it on the page is older.
  const last = new Map(those.map(({ key, sign }) => [key, sign]));
  const known = those.filter(({ key }) => signs.get(key) === last.get(key));
  return new Set([...entries.filter(({ group }) => rank(group) < rank(at)), ...known]);
}

/** The position that also covers the entries after it. */
function behind(was: Position, entries: readonly Entry[], isAll: boolean): Position {
  let { since, at } = was;
  const signs = signsOf(was.seen);
  for (const { group, key, sign } of entries) {
    if (isAll || group !== at) {
      [since, at] = [at, group];
      signs.clear();
    }
    signs.set(key, sign);
    if (signs.size > seenMax) throw wrong("too many changed at one time", "changed_by");
  }
  return { ...was, since, at, seen: Array.from(signs, ([key, sign]) => sign + key) };
}

/** The hashes that a position has, by the keys of their entries. */
const signsOf = (seen: readonly string[]): Map<string, string> =>
  new Map(seen.map((entry) => [entry.slice(signChars), entry.slice(0, signChars)]));

/**
 * What has no change of its own is with the entry before it, be that on the page before. Undefined: the page begins before the end of
 * the page before.
 */
function entriesOf(list: readonly unknown[], { config }: Ask, at: Walk): Entry[] | undefined {
  const { id, changed_by: by, path = "" } = config;
  const changeOf = (row: Row): string => (by ? textOf(row[by.column]).replace(/^\D.*/s, "") : "");
  const changeOfPage = at.isBegun
    ? list.map((value) => (isPlainObject(value) ? changeOf(value) : "")).find(Boolean)
    : undefined;
  if (changeOfPage !== undefined && rank(changeOfPage) < rank(at.group)) return undefined;
  return list.map((value, index) => {
    const row = isPlainObject(value) ? value : {};
    const name = textOf(row[id]);
    const change = by ? changeOf(row) : at.group;
    if (change && index && rank(change) < rank(at.group)) throw wrong("rows unsorted", "query");
    const group = (at.group = change || at.group);
    const where = `${path}:${name || `${group}#${index + 1}`}`;
    const sign = by ? signOf(value) : "";
    const entry = { group, where, sign, key: by ? name || sign : `${index}` };
    if (isPlainObject(value) && (!by || (name && change))) return { ...entry, row };
    const reason = by
      ? "it is not an object that has the id and the change column"
      : "it is not an object";
    return { ...entry, reject: { where, code: "no_row", reason, row: JSON.stringify(value) } };
  });
}

async function answerOf(ask: Ask & { agent: Agent; page: string; since: string }) {
  const { config, page, agent: dispatcher } = ask;
  const { cursor, page_number: number, page_size: size, changed_by: by, query, token } = config;
  const url = new URL([config.url, config.path].join(""));
  const what = `GET ${url.origin}${url.pathname}`;
  const turn = { ...pair(by, ask.since), ...pair(cursor ?? number, page) };
  url.search = new URLSearchParams({ ...query, ...pair(size, size?.rows), ...turn }).toString();
  const login = Buffer.from(`${config.user}:${config.password?.reveal() ?? ""}`).toString("base64");
  const authorization = config.user ? `Basic ${login}` : token && `Bearer ${token.reveal()}`;
  const signal = AbortSignal.any([ask.signal, AbortSignal.timeout(config.timeout)]);
  try {
    const answer = await request(url, { dispatcher, signal, headers: { authorization } });
    const body = await answer.body.text();
    if (answer.statusCode !== 200) throw refusalOf(answer, what);
    const json: unknown = JSON.parse(body, exact);
    const list = valueAt(json, config.rows);
    if (!Array.isArray(list)) throw wrong(`${what}: the answer has no list there`, "rows");
    const next = number ? list.length && Number(page) + 1 : cursor && valueAt(json, cursor.pointer);
    const isCut = !number && !cursor && list.length === size?.rows;
    return { list, isCut, next: textOf(next || undefined), sign: number ? body : textOf(next) };
  } catch (error) {
    ask.signal.throwIfAborted();
    if (error instanceof SluiceError) throw error;
    if (error instanceof SyntaxError) throw wrong(`${what}: the answer is no JSON`, "path");
    throw new RetryLater(`${what}: ${String(error)}`, { hint: "Check url; ask for fewer rows." });
  }
}

function refusalOf({ statusCode: status, headers }: Dispatcher.ResponseData, what: string): Error {
  const [message, hint] = [`${what}: ${status}`, "Check token, or user and password."];
  if ([401, 403].includes(status)) return new SourceAuthError(message, { field: "token", hint });
  if (status !== 429 && status < 500) return wrong(message, "path");
  return new RetryLater(message, { hint: "Wait.", afterMs: retryAfterMs(headers, Date.now()) });
}

/** A number that JavaScript's do not carry is kept as it was written. */
const exact = (_: string, value: unknown, { source = "" }: { source?: string } = {}): unknown =>
  typeof value === "number" && !isCarried(source) ? new LongNumber(source) : value;

/** A hash of what an entry holds, in whatever order its members come. */
const signOf = (value: unknown): string =>
  hash("sha256", JSON.stringify(value, inOrder) ?? "", "base64").slice(0, signChars);
const inOrder = (_: string, value: unknown): unknown =>
  isPlainObject(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    : value;
const plain = (name: string): string => name.replaceAll("~1", "/").replaceAll("~0", "~");
const step = (at: unknown, name: string) => (isPlainObject(at) ? at[plain(name)] : undefined);
const valueAt = (at: unknown, names = ""): unknown => names.split("/").slice(1).reduce(step, at);
const pair = (to: { parameter: string } | undefined, value: string | number | undefined) =>
  to && value ? { [to.parameter]: `${value}` } : {};
const textOf = (value: unknown) =>
  /string|number/.test(typeof value) || value instanceof LongNumber ? String(value) : "";
const rank = (at: string) => (/^\d+$/.test(at) ? at.padStart(20, "0") : at.replace(/Z$/, ""));
const wrong = (message: string, field: string) =>
  new ConfigError(message, { field, hint: `Set ${field} as the API documents it.` });

/** Reads a list from a JSON API: what changed since the last run, or without a change column all of it in each run. */
export const http = pullSource({
  name: "http",
  config: members,
  position: place,
  restart: ({ changed_by: by }) => (by === undefined ? "each-run" : "resume"),
  read,
  async check(ask) {
    try {
      for await (const { rejects: [reject] = [] } of read({ ...ask, pageRowsMax: 1, limit: 1 }))
        return [{ name: "read", ok: reject === undefined, fix: reject?.reason }];
      return [{ name: "read", ok: true }];
    } catch (error) {
      if (!(error instanceof SluiceError)) throw error;
      return [{ name: "read", ok: false, detail: error.message, fix: error.hint }];
    }
  },
});
