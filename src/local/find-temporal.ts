import { accessSync, constants, statSync } from "node:fs";
import { mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";

import { ConfigError, errorCodeOf, messageOf } from "../errors.ts";
import { buildTemporal } from "./build-temporal.ts";
import { downloadTemporal } from "./download-temporal.ts";
import { exclusively } from "./exclusively.ts";
import { temporalCliVersion, type FetchTemporal } from "./temporal-version.ts";

type Env = FetchTemporal["env"];

/** Where to look for the Temporal server. */
export type TemporalSearch = {
  readonly env: Env;
  /** @default `sluice` in the user's cache folder */
  readonly cacheFolder?: string | undefined;
  /** Takes lines for a person: the current step, and the progress of a download or build. */
  readonly say: (text: string) => void;
  /** Takes the path of the program that was found. @default it is not reported */
  readonly detail?: ((text: string) => void) | undefined;
};

/** The ways to get a missing server, in this order. */
const ways = [
  { name: "the SDK's download", fetch: downloadTemporal },
  { name: "go install", fetch: buildTemporal },
];

const scratchPrefix = "fetch-";

/**
 * Finds the `temporal` program on the PATH or in our cache; otherwise downloads or builds it into our cache, one
 * process at a time.
 * @throws {ConfigError} none was found and none could be got; lists what was tried and why it failed; or the cache
 * folder cannot be written
 */
export async function findTemporal({
  env,
  cacheFolder,
  say,
  detail,
}: TemporalSearch): Promise<string> {
  const onPath = (env["PATH"] ?? "")
    .split(delimiter)
    .filter((folder) => folder !== "")
    .map((folder) => join(folder, "temporal"))
    .find(isProgram);
  if (onPath !== undefined) {
    detail?.(`Temporal server: ${onPath}, found on the PATH`);
    return onPath;
  }
  const folder = join(cacheFolder ?? userCacheFolder(env), `temporal-${temporalCliVersion}`);
  const cached = join(folder, "temporal");
  if (!isProgram(cached)) {
    await inCache(
      folder,
      async () =>
        await exclusively(
          join(folder, "fetch.lock"),
          async () => {
            if (!isProgram(cached)) await fetchInto(folder, { env, say });
          },
          () => say("another process is getting the Temporal server: waiting for it"),
        ),
    );
  }
  detail?.(`Temporal server: ${cached}`);
  return cached;
}

/** Runs `work` on files of our cache; turns an error of the file system into one that names the folder. */
async function inCache(folder: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (errorCodeOf(error) === "" || error instanceof ConfigError) throw error;
    const failed = `the Temporal server cannot be put into ${folder}: ${messageOf(error)}`;
    throw new ConfigError(failed, {
      cause: error,
      field: "SLUICE_TEMPORAL_CACHE",
      hint: "set it to a folder that can be written, or put Temporal's CLI on the PATH",
    });
  }
}

async function fetchInto(folder: string, search: TemporalSearch): Promise<void> {
  await removeScratch(folder);
  const tried = ["`temporal` on the PATH: not there", `our cache: not in ${folder}`];
  try {
    for (const way of ways) {
      const scratch = await mkdtemp(join(folder, scratchPrefix));
      try {
        await rename(await way.fetch({ ...search, folder: scratch }), join(folder, "temporal"));
        return;
      } catch (error) {
        tried.push(`${way.name}: ${messageOf(error)}`);
      }
    }
  } finally {
    await removeScratch(folder);
  }
  const list = tried.map((line) => `\n  - ${line}`).join("");
  throw new ConfigError(`No Temporal server was found, and none could be got. Tried:${list}`, {
    hint: "Set TEMPORAL_ADDRESS to a running server, or put Temporal's CLI on the PATH (or Go, which builds it).",
  });
}

/** Removes the leftovers of a fetch that was killed; only the lock's holder may. */
async function removeScratch(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.startsWith(scratchPrefix));
  for (const name of names) await rm(join(folder, name), { recursive: true, force: true });
}

function userCacheFolder(env: Env): string {
  return join(env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "sluice");
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
