import { copyFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { z } from "zod";

import type * as Database from "../../src/inbox/sqlite/database.ts";
import { built } from "../built.ts";
import { cpuSecondsOf, end, peakRssBytes, run } from "../child.ts";
import { type Latencies, latencies } from "../latencies.ts";
import { alternate, makeEmpty } from "../rounds.ts";
import { benchConnection, type ReceiverKind, startReceiver } from "./process.ts";

/** The figures of one round of a receiver. */
export type Received = {
  /** Acknowledged deliveries: each is a row. */
  readonly rowsPerSecond: number;
  readonly latencies: Latencies;
  /** The peak memory of the receiver's process. */
  readonly rssBytes: number;
  /** The receiver's processor time for each delivery, including the warm-up. */
  readonly cpuMicroseconds: number;
  /** The processor time for each delivery of the poster, which shares the cores. */
  readonly posterCpuMicroseconds: number;
};

/** A receiver to measure. */
export type Variant = {
  readonly name: string;
  readonly receiver: ReceiverKind;
  /** Whether its disk takes 2 ms to flush. */
  readonly isSlow: boolean;
  /** Deliveries that count, after a fifth as many that do not. */
  readonly deliveries: number;
};

const fast = { isSlow: false, deliveries: 100_000 } as const;

/** The names of the measured receivers, in the order of the rounds. */
export const names = {
  bare: "Node's own server and an HMAC, no more",
  nothing: "nothing kept, the receiver alone",
  sluice: "`sluice webhooks`",
  each: "one commit per request",
  slowSluice: "`sluice webhooks`, 2 ms to flush",
  slowEach: "one commit per request, 2 ms to flush",
} as const;

/** All measured receivers; the slow ones get fewer deliveries. */
export const variants: readonly Variant[] = [
  { name: names.bare, receiver: "bare", ...fast },
  { name: names.nothing, receiver: "nothing", ...fast },
  { name: names.sluice, receiver: "sluice", ...fast },
  { name: names.each, receiver: "each", ...fast, deliveries: 25_000 },
  { name: names.slowSluice, receiver: "sluice", isSlow: true, deliveries: 40_000 },
  { name: names.slowEach, receiver: "each", isSlow: true, deliveries: 2_000 },
];

const posterProgram = fileURLToPath(new URL("poster.ts", import.meta.url));
const postedSchema = z.object({
  deliveries: z.int(),
  seconds: z.number(),
  latencies,
  cpuSeconds: z.number(),
});

/**
 * Measures receivers in turn, round by round, after a warm-up that does not count.
 * @returns the figures of each round, by name. @throws if not everything acknowledged was kept: such a
 * round does not count.
 */
export async function measureReceivers(how: {
  readonly variants: readonly Variant[];
  readonly rounds: number;
  readonly folder: string;
}): Promise<ReadonlyMap<string, readonly Received[]>> {
  const slowDisk = how.variants.some(({ isSlow }) => isSlow)
    ? await compileSlowDisk(how.folder)
    : undefined;
  const output = join(how.folder, "receiver");
  const measures = how.variants.map((variant) => {
    const measureOnce = async (): Promise<Received> => {
      await makeEmpty(output);
      return await measure(variant, { folder: output, slowDisk });
    };
    return [variant.name, measureOnce] as const;
  });
  const measured = await alternate(new Map(measures), how.rounds);
  await rm(output, { recursive: true });
  return measured;
}

/** Builds the library that slows a program's disk. @throws if there is no C compiler. */
async function compileSlowDisk(folder: string): Promise<string> {
  const source = join(folder, "slow-fsync.c");
  await copyFile(new URL("../workloads/slow-fsync.c", import.meta.url), source);
  const library = join(folder, "slow-fsync.so");
  const args = ["-shared", "-fPIC", "-o", library, source];
  const { code } = await run(args, folder, { program: "cc" });
  if (code !== 0) throw new Error("cc cannot compile slow-fsync.c, which emulates a slow disk");
  return library;
}

async function measure(
  { name, receiver: kind, isSlow, deliveries }: Variant,
  { folder, slowDisk }: { readonly folder: string; readonly slowDisk: string | undefined },
): Promise<Received> {
  const preload = isSlow ? slowDisk : undefined;
  const { child, port, stateFolder } = await startReceiver({ kind, folder, preload });
  const warmUp = Math.ceil(deliveries / 5);
  const all = warmUp + deliveries;
  try {
    const cpuBefore = await cpuSecondsOf(child);
    const counts = ["--warm-up", `${warmUp}`, "--deliveries", `${deliveries}`];
    const where = [
      "--port",
      `${port}`,
      "--path",
      benchConnection.path,
      "--secret",
      benchConnection.secret,
    ];
    const { code, lastLine } = await run([posterProgram, ...where, ...counts], folder);
    if (code !== 0) throw new Error(`${name}: the poster ended with ${code}`);
    const pushed = postedSchema.parse(JSON.parse(lastLine));
    const cpuSeconds = (await cpuSecondsOf(child)) - cpuBefore;
    const rssBytes = (await peakRssBytes(child)) ?? Number.NaN;
    await end(child);
    const isKeeping = kind === "sluice" || kind === "each";
    const kept = isKeeping ? await countKept(stateFolder) : all;
    if (kept !== all) throw new Error(`${name}: ${all} acknowledged, ${kept} kept`);
    return {
      rowsPerSecond: deliveries / pushed.seconds,
      latencies: pushed.latencies,
      rssBytes,
      cpuMicroseconds: (cpuSeconds / all) * 1e6,
      posterCpuMicroseconds: (pushed.cpuSeconds / deliveries) * 1e6,
    };
  } finally {
    await end(child);
  }
}

async function countKept(stateFolder: string): Promise<number> {
  const { openInboxDatabase } = await built<typeof Database>("src/inbox/sqlite/database.js");
  const inbox = openInboxDatabase(join(stateFolder, "inbox.db"));
  const kept = inbox.backlogs().reduce((sum, { waiting }) => sum + waiting, 0);
  inbox.close();
  return kept;
}
