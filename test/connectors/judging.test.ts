import { describe, expect, it } from "vitest";

import { judgingOf } from "../../connectors/judging.ts";
import { rightSource } from "../broken-connectors/right.ts";
import { Harness, harnessHead } from "../support/project/harness.ts";

const yaml = `${harnessHead}connections:
  files: { connector: csv, path: a.csv }
syncs:
  accounts:
    from: { connection: files }
    stream: account
    send: all
    record: { account_id: id, domain: domain, account_properties: {} }
`;

const old = { changed: "2024-05-01T00:00:00.000000Z", id: "" };
const present = { changed: "2024-05-02T00:00:00.000000Z", id: "" };

/** Which rows of a first read are followed, depending on a transaction that was open then. */
async function followed(toPosition: unknown, oldestOpen: unknown): Promise<unknown> {
  const { deps } = await Harness.open({ yaml });
  const sync = deps.config.syncs.get("accounts");
  if (sync === undefined) throw new Error("there is no sync");
  const run = { kind: "sync", request: {}, runId: "r", target: "t" } as const;
  const at = { chunk: 1, stage: 1, send: 1, begunAt: 1, oneEach: false, now: 1 };
  const places = { fromPosition: null, toPosition, oldestOpen };
  return (await judgingOf(rightSource(), sync, { ...at, run: { ...run, ...places } }))?.rows;
}

describe("a first read with `send: all`", () => {
  it.each<[what: string, to: unknown, oldestOpen: unknown, rows: string]>([
    ["those that its pages name where no transaction is open", present, null, "first"],
    ["those that its pages name where one began behind its end", present, present, "first"],
    ["all where one began long before its end", present, old, "again"],
    ["all where its source names no end", null, old, "again"],
  ])("follows %s", async (...[, to, oldestOpen, rows]) => {
    expect(await followed(to, oldestOpen)).toBe(rows);
  });
});
