import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { inTime } from "../clock.ts";
import type { StateStore } from "../state/state-store.ts";

/** How long one check may take: a probe times out after a few seconds. */
const lookMsMax = 2_000;

/** What a worker needs to take work, and whether it is available now. */
export type Readiness = {
  readonly temporal: "away" | "ok";
  readonly store: "away" | "ok";
  readonly folder: "ok" | "unwritable";
};

/** Whether a worker may be given work. */
export function isReady({ temporal, store, folder }: Readiness): boolean {
  return temporal === "ok" && store === "ok" && folder === "ok";
}

async function succeeds(work: Promise<unknown>): Promise<boolean> {
  const done = work.then(
    () => true,
    () => false,
  );
  return (await inTime(done, lookMsMax)) ?? false;
}

async function write(folder: string): Promise<void> {
  const file = join(folder, `probe.${process.pid}`);
  await writeFile(file, "", { mode: 0o600 });
  await rm(file);
}

/** Checks whether Temporal and the store answer and the state folder is writable. */
export async function lookReady({
  askTemporal,
  state,
  stateFolder,
}: {
  /** Asks the server something that it answers at once. */
  readonly askTemporal: () => Promise<unknown>;
  readonly state: Pick<StateStore, "storeTime">;
  readonly stateFolder: string;
}): Promise<Readiness> {
  const [temporal, store, folder] = await Promise.all([
    succeeds(askTemporal()),
    succeeds(state.storeTime(Date.now())),
    succeeds(write(stateFolder)),
  ]);
  return {
    temporal: temporal ? "ok" : "away",
    store: store ? "ok" : "away",
    folder: folder ? "ok" : "unwritable",
  };
}
