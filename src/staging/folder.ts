import { mkdir, open, readdir, rename, rm, stat, statfs, type FileHandle } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

import { runEffect, type Effect } from "../effect.ts";
import { ConfigError, errorCodeOf, messageOf, StagingError } from "../errors.ts";
import type { StageName } from "../state/contract/sends/stagings.ts";

/** The form of a run's id, which is the name of a folder. */
const runIds = /^[\w-]+$/;

/** The folder where a run's chunks wait. A run's id comes from a workflow's history: it must not lead anywhere else. */
function runFolder(stagingFolder: string, runId: string): string {
  if (!runIds.test(runId)) throw new ConfigError("a run's id is letters, digits, _ and -");
  return join(stagingFolder, runId);
}

/**
 * The file of a staging, or of a part that a split made from it. Each staging has its own file, so that none is mixed
 * with a half-written one.
 */
export function stagedFile(
  stagingFolder: string,
  { runId, chunk, stage }: StageName,
  part = 0,
): string {
  const suffix = part === 0 ? "" : `.part-${part}`;
  return join(runFolder(stagingFolder, runId), `chunk-${chunk}.stage-${stage}${suffix}.jsonl.gz`);
}

/** The file beside a staged file that holds where its pages began, one JSON object a line. */
export function pageStartsFile(staged: string): string {
  return `${staged}.pages`;
}

function stagingError(error: unknown, path: string): StagingError {
  const hints: Record<string, string> = {
    ENOSPC:
      "free space on that disk, or set `state:` to another one; after three times the run stops",
    EROFS: "the disk is read-only: mount it for writing or set `state:` to another folder",
    EACCES: "give this user write access to the folder",
  };
  const code = errorCodeOf(error);
  return new StagingError(`cannot write ${path}: ${messageOf(error)}`, {
    cause: error,
    hint: hints[code] ?? "check the staging folder",
  });
}

/** Writes to a file that does not exist until it is whole. */
export interface AtomicFile {
  write(bytes: Buffer): Promise<void>;
  /** Syncs the file, gives it its name and syncs the folder: after this a power cut leaves it whole. */
  finish(): Promise<void>;
  /** Removes what was written, unless it was finished. */
  discard(): Promise<void>;
}

/**
 * Begins a file under a temporary name; `effect` wraps its beginning and its finish.
 * @throws {StagingError} it cannot be made; `write` and `finish` throw it, too.
 */
export async function createAtomicFile(
  path: string,
  effect: Effect = runEffect,
): Promise<AtomicFile> {
  const partial = `${path}.partial`;
  const attempt = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    try {
      return await work();
    } catch (error) {
      throw stagingError(error, path);
    }
  };
  const begin = async (): Promise<FileHandle> => {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    return await open(partial, "w", 0o600);
  };
  const file = await attempt(async () => await effect("beginFile", begin));
  let isOpen = true;
  const close = async (): Promise<void> => {
    if (isOpen) {
      isOpen = false;
      await file.close();
    }
  };
  const finish = async (): Promise<void> => {
    await file.sync();
    await close();
    await rename(partial, path);
    await using folder = await open(dirname(path), "r");
    await folder.sync();
  };
  return {
    write: async (bytes) => {
      await attempt(async () => {
        for (let from = 0; from < bytes.length;) {
          from += (await file.write(bytes, from)).bytesWritten;
        }
      });
    },
    finish: async () => {
      await attempt(async () => await effect("finishFile", finish));
    },
    discard: async () => {
      await close();
      await rm(partial, { force: true });
    },
  };
}

/** Stagings whose lines are still needed, by their chunks and stages. */
export type KeptStages = readonly Pick<StageName, "chunk" | "stage">[];

/**
 * Removes the files of one chunk's stages before `before`, or of all its stages when that is undefined, except the
 * lines of the stages in `keep`. Never a later stage's: a slow attempt must not clean up what its successor made.
 * Missing files are not an error. `effect` wraps each removal.
 */
export async function cleanUpChunk(
  stagingFolder: string,
  what: {
    readonly runId: string;
    readonly chunk: number;
    readonly before?: number | undefined;
    readonly keep?: KeptStages | undefined;
  },
  effect: Effect = runEffect,
): Promise<void> {
  const { runId, chunk, before = Infinity, keep = [] } = what;
  const folder = runFolder(stagingFolder, runId);
  const kept = keep.map((stage) => basename(stagedFile(stagingFolder, { runId, ...stage })));
  for (const name of await readdir(folder).catch(() => [])) {
    const [, number, stage] = /^chunk-(\d+)\.stage-(\d+)\./.exec(name) ?? [];
    if (Number(number) !== chunk || Number(stage) >= before || kept.includes(name)) continue;
    await effect("removeFile", async () => await rm(join(folder, name), { force: true }));
  }
}

/** Removes everything a run staged except the lines of the stages in `keep`; `effect` wraps each removal. */
export async function cleanUpRun(
  stagingFolder: string,
  { runId, keep = [] }: { readonly runId: string; readonly keep?: KeptStages | undefined },
  effect: Effect = runEffect,
): Promise<void> {
  const folder = runFolder(stagingFolder, runId);
  if (keep.length === 0) {
    await effect("removeRun", async () => await rm(folder, { recursive: true, force: true }));
    return;
  }
  const names = await readdir(folder).catch(() => []);
  const chunks = names.map((name) => Number(/^chunk-(\d+)\./.exec(name)?.[1]));
  for (const chunk of new Set(chunks)) {
    await cleanUpChunk(stagingFolder, { runId, chunk, keep }, effect);
  }
}

/** The runs that have files here. */
export async function stagedRuns(stagingFolder: string): Promise<string[]> {
  const names: string[] = await readdir(stagingFolder).catch(() => []);
  return names.filter((name) => runIds.test(name));
}

/** Time since a file of a run was last made or removed here, in ms; 0 if it has none. */
export async function untouchedMs(stagingFolder: string, runId: string): Promise<number> {
  const found = await stat(runFolder(stagingFolder, runId)).catch(() => undefined);
  return found === undefined ? 0 : Date.now() - found.mtimeMs;
}

/** Free bytes of the disk that holds a folder. */
export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
