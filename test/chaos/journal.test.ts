import { appendFile, readFile, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { entry } from "../crash/sound-facts.ts";
import { temporaryFolder } from "../support/process/temporary-folder.ts";
import { createJournal, LedgerTail } from "./journal.ts";

const line = (key: string): string =>
  `${JSON.stringify({ entry: entry("put", 1, { file_key: key }) })}\n`;

describe("a LedgerTail", () => {
  it("gives each whole line once, and one that a crash cut off only when it is written anew", async () => {
    const file = join(await temporaryFolder(), "ledger.jsonl");
    await writeFile(file, line("one"));
    const tail = new LedgerTail(file);
    const next = async (): Promise<unknown[]> =>
      (await tail.next()).map(({ file_key: key }) => key);
    expect(await next()).toEqual(["one"]);
    expect(await next()).toEqual([]);
    await appendFile(file, line("two") + line("cut off").slice(0, 20));
    expect(await next()).toEqual(["two"]);
    expect(await next()).toEqual([]);
    await truncate(file, line("one").length + line("two").length);
    await appendFile(file, line("three"));
    expect(await next()).toEqual(["three"]);
  });
});

describe("createJournal", () => {
  it("writes an event a line, with its time", async () => {
    const file = join(await temporaryFolder(), "events.jsonl");
    const tell = createJournal(file);
    tell("kill", { pid: 7 });
    tell("ended");
    const lines = (await readFile(file, "utf8")).trimEnd().split("\n");
    expect(lines).toEqual([
      expect.stringMatching(/^{"ms":\d+,"what":"kill","pid":7}$/),
      expect.stringMatching(/^{"ms":\d+,"what":"ended"}$/),
    ]);
  });
});
