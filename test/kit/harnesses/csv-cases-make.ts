import {
  appendFile,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from "node:fs/promises";
import { dirname, join } from "node:path";

import type { Row } from "../../../connectors/contract/connector.ts";
import type { CaseOutcome, TestCase, Writing } from "../../../testing/case.ts";
import { lock } from "../../support/process/lock.ts";

/** Files by their paths within a folder. */
export type Files = Readonly<Record<string, string | Buffer>>;

type Config = Readonly<Record<string, unknown>>;

/** A case that is files in a folder of their own: `a.csv`, unless `config` says otherwise. */
export type CsvCase = Omit<TestCase, "make" | "writes" | "afterwards"> & {
  readonly files: Files;
  readonly config?: Config | ((folder: string) => Config);
  /** What files cannot express: links, modes, times. */
  readonly prepare?: (folder: string) => Promise<void>;
  /** A folder below this one, or "." itself, that the reader may use only with this mode. */
  readonly locked?: { readonly path: string; readonly mode: number };
  /**
   * For a write, `leaves` is what the folder then holds besides `a.csv`: texts by names and modes, as in "written.csv
   * 600".
   */
  readonly writes?: readonly Omit<Writing, "left">[];
  readonly afterwards?: CaseOutcome & {
    readonly config?: Readonly<Record<string, unknown>>;
    /** Files that replace the existing ones by renaming. */
    readonly replaced?: Files;
    readonly appended?: Files;
    readonly isMeanwhile?: boolean;
    readonly change?: (folder: string) => Promise<void>;
  };
};

/** The case in the kit's form, in a folder of its own. */
export function caseIn(folder: string, testCase: CsvCase): TestCase {
  const { files, config, prepare, locked, writes, afterwards, ...said } = testCase;
  let unlock: (() => Promise<void>) | undefined;
  return {
    ...said,
    make: async () => {
      await rm(folder, { recursive: true, force: true });
      await mkdir(folder, { recursive: true });
      await putFiles(folder, files);
      await prepare?.(folder);
      const own = typeof config === "function" ? config(folder) : config;
      if (locked !== undefined) unlock = await lock(join(folder, locked.path), locked.mode);
      return { path: "a.csv", folder, append_only: undefined, ...own };
    },
    undo: async () => await unlock?.(),
    ...(writes && {
      writes: writes.map((writing) => ({ ...writing, left: async () => await leftIn(folder) })),
    }),
    ...(afterwards && {
      afterwards: {
        ...afterwards,
        change: async () => {
          await putFiles(folder, afterwards.replaced ?? {});
          for (const [path, content] of Object.entries(afterwards.appended ?? {})) {
            await appendFile(join(folder, path), content);
          }
          await afterwards.change?.(folder);
        },
      },
    }),
  };
}

async function putFiles(folder: string, files: Files): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(`${path}.new`, content);
    await rename(`${path}.new`, path);
  }
}

async function leftIn(folder: string): Promise<Readonly<Record<string, string>>> {
  const names = (await readdir(folder)).filter((name) => name !== "a.csv").toSorted();
  const left = names.map(async (name) => {
    const path = join(folder, name);
    const { mode } = await stat(path);
    return [`${name} ${(mode & 0o777).toString(8)}`, await readFile(path, "utf8")] as const;
  });
  return Object.fromEntries(await Promise.all(left));
}

/** Rows of these columns, each given as its cells. */
export function rowsOf(
  columns: readonly string[],
  ...rows: readonly (readonly string[])[]
): readonly Row[] {
  return rows.map((cells) =>
    Object.fromEntries(columns.map((column, index) => [column, cells[index]])),
  );
}

/** Text in UTF-16, little-endian. */
export function utf16(text: string): Buffer {
  return Buffer.from(text, "utf16le");
}

/** Text in UTF-16, big-endian. */
export function utf16Big(text: string): Buffer {
  return utf16(text).swap16();
}
