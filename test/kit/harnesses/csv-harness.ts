import { appendFile, chmod, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { constants, gzipSync } from "node:zlib";

import type { HarnessRow, PullHarness } from "../../../testing/harness.ts";
import { lock } from "../../support/process/lock.ts";
import { csvCases } from "./csv-cases.ts";

/** What distinguishes one harness of CSV files from another. */
export type CsvStyle = {
  /** @default false: the file is replaced whenever it changes */
  readonly isAppendOnly?: boolean;
  /** @default false */
  readonly isGzip?: boolean;
  /** @default false */
  readonly hasCases?: boolean;
};

/**
 * A file of rows in a folder of its own, and next to it the target file of a write-back, which holds the first of the
 * same rows.
 */
export async function csvHarness(style: CsvStyle = {}): Promise<PullHarness> {
  const { isAppendOnly = false, isGzip = false, hasCases = false } = style;
  const folder = await mkdtemp(join(tmpdir(), "sluice-kit-csv-"));
  // The user that `deny` switches this process to can find the file, and only may not read it.
  await chmod(folder, 0o755);
  const name = isGzip ? "rows.csv.gz" : "rows.csv";
  const [path, target] = [join(folder, name), join(folder, "written.csv")];
  const held = new Map<string, HarnessRow>();
  const put = async (lines: readonly Buffer[]): Promise<void> => {
    const bytes = Buffer.concat([heading, ...lines]);
    await replaceFile(path, isGzip ? packed(bytes) : bytes);
  };
  const empty = async (): Promise<void> => {
    held.clear();
    await put([]);
    await replaceFile(target, heading);
  };
  await empty();
  return {
    config: { path: name, folder, append_only: isAppendOnly, file: "written.csv" },
    fill: async (rows) => {
      for (const row of rows) held.set(row.id, row);
      const lines = [...held.values()].map(lineOf);
      // A row that changes is there once more: the last one counts.
      if (isAppendOnly) await appendFile(path, Buffer.concat(rows.map(lineOf)));
      else await put(lines);
      await replaceFile(target, Buffer.concat([heading, ...lines.slice(0, targetRowsMax)]));
    },
    empty,
    // RFC 4180 has no null, and no control characters except line breaks.
    cannotHold: ["null", "NUL"],
    deny: async () => await lock(path),
    spoil: async () => {
      const rows = [...held.values()];
      const lines = rows.flatMap((row, index) => {
        // Each comes right after the row that it was made from, so that its cells are there.
        const malformed =
          index % 3 === 1 ? spoilers[((index - 1) / 3) % spoilers.length] : undefined;
        return malformed === undefined ? [lineOf(row)] : [lineOf(row), malformed(row)];
      });
      await put(lines);
      return lines.length - rows.length;
    },
    written: { key: "id", set: "text", read: async (id) => await textIn(target, id) },
    ...(hasCases && { cases: csvCases(join(folder, "cases")) }),
    close: async () => await rm(folder, { recursive: true }),
  };
}

/** Only a few rows are ever written back, and large sources need not be there twice. */
const targetRowsMax = 100;

const heading = Buffer.from("id,text,changed\n");

function lineOf({ id, text, changed }: HarnessRow): Buffer {
  return Buffer.from(`${[id, text ?? "", changed].map(quoted).join(",")}\n`);
}

function quoted(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** Ways to make a malformed line out of a row. */
const spoilers: readonly ((row: HarnessRow) => Buffer)[] = [
  ({ id, text }) => Buffer.from(`${id},${text}\n`),
  ({ id, text, changed }) => Buffer.from(`${id},${text},${changed},${text}\n`),
  ({ id, text, changed }) => Buffer.from(`${id},${text}" and more,${changed}\n`),
  ({ id, text, changed }) => Buffer.from(`${id},"${text}" and more,${changed}\n`),
  ({ id, text, changed }) => Buffer.from(`${id},${text}\0,${changed}\n`),
  ({ id, text, changed }) =>
    Buffer.concat([
      Buffer.from(`${id},${text}`),
      Buffer.from([0xff]),
      Buffer.from(`,${changed}\n`),
    ]),
];

/** Replaces by renaming, as the documentation asks of those who produce files. */
async function replaceFile(path: string, bytes: Buffer): Promise<void> {
  await writeFile(`${path}.new`, bytes);
  await rename(`${path}.new`, path);
}

/** Compressed about as much as real files are: the kit's files are so repetitive that they look like a zip bomb. */
function packed(bytes: Buffer): Buffer {
  return gzipSync(bytes, { strategy: constants.Z_HUFFMAN_ONLY });
}

/** Our own parser of a line whose cells hold no line break. */
async function textIn(path: string, id: string): Promise<string | undefined> {
  const lines = (await readFile(path, "utf8")).split("\n");
  const line = lines.find((one) => one.startsWith(`${id},`)) ?? "";
  const cell = /^\d+,(?:"((?:[^"]|"")*)"|([^,]*)),/.exec(line);
  return cell === null ? undefined : (cell[1]?.replaceAll('""', '"') ?? cell[2]);
}
