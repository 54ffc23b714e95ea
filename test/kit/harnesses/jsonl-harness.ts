import { appendFile, chmod, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { HarnessRow, PullHarness } from "../../../testing/harness.ts";
import { jsonlCases } from "./jsonl-cases.ts";

function lines(rows: Iterable<HarnessRow>): string {
  return [...rows].map((row) => `${JSON.stringify(row)}\n`).join("");
}

/** A file of rows in a folder of its own; the harness that is not append-only has the cases. */
export async function jsonlHarness(isAppendOnly: boolean): Promise<PullHarness> {
  const folder = await mkdtemp(join(tmpdir(), "sluice-jsonl-"));
  const path = join(folder, "rows.jsonl");
  await writeFile(path, "");
  let rows = new Map<string, HarnessRow>();
  // An append-only file is replaced as a whole if a row must go.
  const replace = async (text: string): Promise<void> => {
    await writeFile(`${path}.new`, text);
    await rename(`${path}.new`, path);
  };
  const deny = async (): Promise<() => Promise<void>> => {
    await chmod(path, 0o000);
    return async () => await chmod(path, 0o600);
  };
  return {
    config: { path: "rows.jsonl", folder, append_only: isAppendOnly },
    fill: async (added) => {
      for (const row of added) rows.set(row.id, row);
      // A row that changes is there once more: the last one counts.
      if (isAppendOnly) await appendFile(path, lines(added));
      else await replace(lines(rows.values()));
    },
    empty: async () => {
      rows = new Map();
      await replace("");
    },
    // The superuser may read everything.
    ...(process.getuid?.() !== 0 && { deny }),
    spoil: async () => {
      const [first = "", ...others] = (await readFile(path, "utf8")).split("\n");
      const malformed = ["17", '{"id": 5', "[]", '{"id":5}{"id":6}', "null"];
      const notText = Buffer.from([0x7b, 0xff, 0x7d, 0x0a]);
      const text = Buffer.from([first, ...malformed, ""].join("\n"));
      await writeFile(path, Buffer.concat([text, notText, Buffer.from(others.join("\n"))]));
      return malformed.length + 1;
    },
    ...(!isAppendOnly && { cases: jsonlCases(folder) }),
    close: async () => await rm(folder, { recursive: true }),
  };
}
