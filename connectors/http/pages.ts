import { z } from "zod";

import { isPlainObject } from "../../src/records/json-value.ts";
import { signOf } from "../paging/entries.ts";
import { wrong } from "../paging/faults.ts";
import type { ListPage, PagedList } from "../paging/paginate.ts";
import type { HttpConfig } from "./config.ts";

/** The list of a connection, as `paginate` reads it. */
export function listOf(config: HttpConfig): PagedList {
  const { url, path, rows, query, changed_by: changedBy, page_number: pageNumber } = config;
  return {
    // A filter decides which rows there are. Only its hash is used: it may hold values that nobody is to see.
    of: JSON.stringify([url, path, changedBy, rows, signOf(query)]),
    first: pageNumber?.first,
    id: config.id,
    changedBy: changedBy?.column,
    place: path,
    headers: { authorization: authorizationOf(config) },
    timeoutMs: config.timeout,
    fields: {
      login: "token",
      logins: "token, or user and password",
      address: "path",
      next: pageNumber === undefined ? "cursor" : "page_number",
      order: "query",
      changedBy: "changed_by",
    },
    fetch: async ({ page, since, get }) => {
      const address = addressOf(config, page, since);
      const answer = await get(address);
      return pageOf(answer.json(z.unknown()), { config, page, address });
    },
  };
}

function pageOf(
  json: unknown,
  {
    config,
    page,
    address,
  }: { readonly config: HttpConfig; readonly page: string; readonly address: URL },
): ListPage {
  const { cursor, page_number: pageNumber, page_size: pageSize } = config;
  const items = valueAt(json, config.rows ?? "");
  if (!Array.isArray(items)) {
    const what = `GET ${address.origin}${address.pathname}`;
    throw wrong(`${what}: the answer has no list there`, "rows");
  }
  if (pageNumber !== undefined) {
    return { items, next: items.length === 0 ? undefined : Number(page) + 1 };
  }
  if (cursor !== undefined) {
    const next = valueAt(json, cursor.pointer);
    // Some APIs give 0 after the last page.
    return { items, next: next === 0 ? undefined : next };
  }
  return { items, isCut: items.length === pageSize?.rows };
}

function addressOf(config: HttpConfig, page: string, since: string): URL {
  const { cursor, page_number: pageNumber, page_size: pageSize, changed_by: changedBy } = config;
  const address = new URL(`${config.url}${config.path ?? ""}`);
  const parameters = new Map(Object.entries(config.query));
  if (pageSize !== undefined) parameters.set(pageSize.parameter, String(pageSize.rows));
  if (changedBy !== undefined && since !== "") parameters.set(changedBy.parameter, since);
  const turn = cursor ?? pageNumber;
  if (turn !== undefined && page !== "") parameters.set(turn.parameter, page);
  address.search = new URLSearchParams([...parameters]).toString();
  return address;
}

function authorizationOf({ user, password, token }: HttpConfig): string | undefined {
  if (user === undefined) return token === undefined ? undefined : `Bearer ${token.reveal()}`;
  const login = Buffer.from(`${user}:${password?.reveal() ?? ""}`).toString("base64");
  return `Basic ${login}`;
}

/** The value that a JSON pointer names; undefined when there is none. */
function valueAt(json: unknown, pointer: string): unknown {
  const names = pointer.split("/").slice(1);
  return names.reduce<unknown>((value, name) => {
    const member = name.replaceAll("~1", "/").replaceAll("~0", "~");
    const items: readonly unknown[] | undefined = Array.isArray(value) ? value : undefined;
    if (items !== undefined) return /^\d+$/.test(member) ? items[Number(member)] : undefined;
    return isPlainObject(value) ? value[member] : undefined;
  }, json);
}
