import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import { request } from "undici";

import type { Checked } from "../../bench/bounds.ts";
import { say } from "../../bench/report.ts";
import { keptPorts } from "../support/process/kept-ports.ts";
import { end, until } from "../support/process/process.ts";
import type { AtEnd } from "../support/project/project.ts";
import { Poster } from "../support/webhooks/poster.ts";
import { largestHistory, sizeOf, takenBy, type Taken } from "./figures.ts";
import { SoakSystem } from "./system.ts";

/** Events a second for the receiver that stays, and as many for the one that is killed. */
const perSecond = 20;
/** A worker and a receiver are killed in turn, this many minutes apart. */
const killEveryMinutes = 3;
/** What the first minutes build up is not a leak: figures count after a quarter of the time, at most after these. */
const warmUpMinutesMax = 15;

const heapGrowthBytesMax = 5e6;
const filesGrowthMax = 10;
const historyBytesMax = 4e6;
const storeBytesMax = 200e6;
const ackMsMax = 250;

/** The maximum wait for the service once nothing is posted any more. */
const settleMsMax = 120_000;
/** The maximum wait for records in doubt: their lines stay staged until nothing older can be applied any more. */
const doubtMsMax = 10 * 60_000;

type Sample = { readonly minute: number; readonly worker: Taken; readonly receiver: Taken };

/** What is left once everything is over. */
type Left = {
  readonly lost: number;
  readonly different: number;
  readonly stagedFiles: number;
  readonly storeBytes: number;
  readonly history: number;
  readonly runs: number;
  readonly failed: number;
  readonly kills: number;
  readonly acknowledged: number;
  readonly ackP99: number;
};

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

function growth(
  samples: readonly Sample[],
  of: (sample: Sample) => number,
): readonly [number, number] {
  // The medians of the first and of the last third: one sample may coincide with a run, another not.
  const third = Math.max(1, Math.floor(samples.length / 3));
  const median = (some: readonly Sample[]): number =>
    some.map(of).toSorted((a, b) => a - b)[Math.floor(some.length / 2)] ?? Number.NaN;
  return [median(samples.slice(0, third)), median(samples.slice(-third))];
}

function checkTaken(samples: readonly Sample[], who: "receiver" | "worker"): Checked[] {
  const from = samples[0]?.minute ?? 0;
  const [heapBefore, heapAfter] = growth(samples, (sample) => sample[who].heap);
  const [rssBefore, rssAfter] = growth(samples, (sample) => sample[who].rss);
  const [filesBefore, filesAfter] = growth(samples, (sample) => sample[who].files);
  return [
    {
      what: `${who}: heap in use after a forced collection, from minute ${from} to the end`,
      bound: `< ${megabytes(heapGrowthBytesMax)} more`,
      measured: `${megabytes(heapBefore)}, then ${megabytes(heapAfter)}`,
      holds: heapAfter - heapBefore < heapGrowthBytesMax,
    },
    {
      what: `${who}: RSS`,
      bound: "",
      measured: `${megabytes(rssBefore)}, then ${megabytes(rssAfter)}`,
      holds: true,
    },
    {
      what: `${who}: open files`,
      bound: `<= ${filesGrowthMax} more`,
      measured: `${filesBefore}, then ${filesAfter}`,
      holds: filesAfter - filesBefore <= filesGrowthMax,
    },
  ];
}

function checkLeft(left: Left): Checked[] {
  return [
    {
      what: "events that were acknowledged, and are not in the service",
      bound: "0",
      measured: `${left.lost} of ${left.acknowledged}`,
      holds: left.lost === 0,
    },
    {
      what: "rows of the file that the service does not hold as the file has them",
      bound: "0",
      measured: `${left.different}`,
      holds: left.different === 0,
    },
    {
      what: "runs that ended as failed",
      bound: "0",
      measured: `${left.failed} of ${left.runs}, with ${left.kills} kills`,
      holds: left.failed === 0 && left.runs > 0 && left.kills > 0,
    },
    {
      what: "from a delivery's first byte to its 2xx, p99",
      bound: `<= ${ackMsMax} ms`,
      measured: `${left.ackP99.toFixed(0)} ms`,
      holds: left.ackP99 <= ackMsMax,
    },
    {
      what: "staged files once nothing runs",
      bound: "0",
      measured: `${left.stagedFiles}`,
      holds: left.stagedFiles === 0,
    },
    {
      what: "store and inbox, once runs were pruned",
      bound: `<= ${megabytes(storeBytesMax)}`,
      measured: megabytes(left.storeBytes),
      holds: left.storeBytes <= storeBytesMax,
    },
    {
      what: "largest Temporal history",
      bound: `< ${megabytes(historyBytesMax)}`,
      measured: megabytes(left.history),
      holds: left.history < historyBytesMax,
    },
  ];
}

async function eventIds(address: string): Promise<Set<string>> {
  const { body } = await request(`${address}/_sandbox/records?stream=account_event`);
  const ids = (await body.text()).matchAll(/"event_id":"([^"]+)"/g);
  return new Set([...ids].map(([, id = ""]) => id));
}

/** Posts events to a receiver; `ids` returns those that it acknowledged, once it has finished. */
type Pushing = { readonly poster: Poster; readonly ids: () => string[] };

function push(system: SoakSystem, port: number, name: string): Pushing {
  const maker = system.maker(name);
  const make = (number: number): Buffer => maker.make(number);
  const poster = new Poster({ port, connections: 4, perSecond, make });
  const ids = (): string[] =>
    Array.from({ length: poster.acknowledged }, (_, at) => maker.idOf(at));
  return { poster, ids };
}

/** Works for this many minutes. Returns what each bound was compared with. */
export async function soak(minutes: number, atEnd: AtEnd): Promise<readonly Checked[]> {
  const system = await SoakSystem.make(atEnd);
  const [worker, receiver] = [await system.worker(), await system.receiver()];
  const [port = 0] = await keptPorts(1);
  const victims = [await system.worker(), await system.receiver(port)];
  const applied = await system.project.sluice("schedule", "apply", "--yes");
  if (applied.code !== 0) throw new Error(`schedule apply: ${applied.stderr}`);
  const stays = push(system, receiver.port, "stays");
  const all = [stays, push(system, port, "killed")];
  atEnd(async () => {
    for (const { poster } of all) await Promise.resolve(poster.close());
  });
  const samples: Sample[] = [];
  let kills = 0;
  const from = performance.now();
  for (let minute = 1; minute <= minutes; minute++) {
    await delay(Math.max(0, from + minute * 60_000 - performance.now()));
    await system.changeFile();
    if (minute % killEveryMinutes === 0) {
      for (const { child } of victims.splice(0)) await end(child, "SIGKILL");
      victims.push(await system.worker(), await system.receiver(port));
      kills += victims.length;
    }
    const taken = { minute, worker: await takenBy(worker), receiver: await takenBy(receiver) };
    if (minute >= Math.min(warmUpMinutesMax, Math.ceil(minutes / 4))) samples.push(taken);
    const { heap, rss, files } = taken.worker;
    say(`minute ${minute}: worker ${megabytes(heap)} heap, ${megabytes(rss)} RSS, ${files} files`);
  }
  for (const { poster } of all) await poster.finish();
  const latencies = stays.poster.latenciesMs.toSorted((a, b) => a - b);
  const left = await bringToRest(
    system,
    all.flatMap(({ ids }) => ids()),
  );
  return [
    ...checkTaken(samples, "worker"),
    ...checkTaken(samples, "receiver"),
    ...checkLeft({
      ...left,
      kills,
      ackP99: latencies[Math.floor(latencies.length * 0.99)] ?? Number.NaN,
    }),
  ];
}

/** Waits until records in doubt have been sent once more, which a worker does by itself. */
async function untilNothingIsInDoubt({ folder, state }: SoakSystem["project"]): Promise<void> {
  const deadline = performance.now() + doubtMsMax;
  const { names } = await sizeOf(join(folder, ".sluice/staging"));
  say(`${names.length} staged files while something may be in doubt`);
  await until(async () => {
    const syncs = await state.doubtfulSyncs({ limit: 10 });
    if (syncs.length > 0) await delay(1_000);
    return syncs.length === 0 || performance.now() > deadline;
  });
}

/** Pauses the schedule, lets everything under way end, prunes, and checks what is left. */
async function bringToRest(
  system: SoakSystem,
  acknowledged: readonly string[],
): Promise<Omit<Left, "ackP99" | "kills">> {
  const { project } = system;
  say("bringing it to rest");
  await project.sluice("schedule", "pause", "accounts", "--reason", "the soak is over");
  const open = async (): Promise<number> =>
    (await project.state.runs({ isOpen: true, limit: 10 })).length;
  // Lost events never come: this waits only as long as drains take to end.
  const deadline = performance.now() + settleMsMax;
  await until(async () => {
    const { size } = await eventIds(project.sandbox.address);
    await delay(1_000);
    return size >= acknowledged.length || performance.now() > deadline;
  });
  await until(async () => (await open()) === 0);
  const last = await project.sluice("run", "accounts");
  if (last.code !== 0) throw new Error(`the last run: ${last.stderr}`);
  await untilNothingIsInDoubt(project);
  await until(async () => (await open()) === 0);
  const runs = await project.state.runs({ limit: 1_000_000 });
  const ids = await eventIds(project.sandbox.address);
  const lost = acknowledged.filter((id) => !ids.has(id));
  const soon = `${new Date(Date.now() + 60_000).toISOString().slice(0, 16)}Z`;
  const pruned = await project.sluice("runs", "prune", "--older-than", soon);
  if (pruned.code !== 0) throw new Error(`prune: ${pruned.stderr}`);
  const stateFolder = join(project.folder, ".sluice");
  const staging = await sizeOf(join(stateFolder, "staging"));
  for (const name of staging.names) say(`left in staging: ${name}`);
  const whole = await sizeOf(stateFolder);
  return {
    lost: lost.length,
    acknowledged: acknowledged.length,
    different: await system.differences(),
    stagedFiles: staging.names.length,
    storeBytes: whole.bytes - staging.bytes,
    history: await largestHistory(project.temporal.client),
    runs: runs.length,
    failed: runs.filter(({ outcome }) => outcome === "failed").length,
  };
}
