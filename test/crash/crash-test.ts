import type { Step } from "../../src/sandbox/faults/faults.ts";
import { differs } from "../support/ledger/words.ts";
import { numbers } from "../support/sequences.ts";
import type { KillPoint } from "./drive/kill-point.ts";
import {
  CrashLane,
  type CrashStore,
  type Death,
  type LanePlan,
  placeOf,
  type Recorder,
} from "./drive/lane.ts";

/** One point in this many tried with copies is also tried with a real kill; for one of each kind, half as often. */
const pointsPerKill = 24;

/** A run that should die, and what must hold then. */
export type CrashTest<Found> = {
  readonly plan: () => Promise<LanePlan<Found>>;
  /** Numbers of the effects before which it dies, counted from 1. @default all */
  readonly pointsOf?: (effects: readonly string[]) => readonly number[];
  /** What is wrong with a death, or with the run that did not die, in words. */
  readonly violationsOf: (death: Death<Found>, whole: Death<Found>) => readonly string[];
  /** What the deaths at all points should have shown and did not, in words. */
  readonly missingOf: (deaths: readonly Death<Found>[], whole: Death<Found>) => readonly string[];
};

/** The points before which a run dies: each, or one of each kind of effect. */
type Which = "each" | "each-kind";

/** The result of all deaths; a test looks for violations, and finds none. */
type Outcome<Found> = {
  readonly deaths: readonly Death<Found>[];
  readonly violations: readonly string[];
};

/** Effects that a run should have and does not, in words. */
export function absentFrom(
  effects: readonly string[],
  wanted: readonly string[],
): readonly string[] {
  return wanted.filter((name) => !effects.includes(name)).map((name) => `no effect ${name}`);
}

/** The client's name of a request -> the sandbox's. */
const steps: ReadonlyMap<string, Step> = new Map([
  ["generateUploadUrl", "generate-upload-url"],
  ["putFile", "put"],
  ["confirmUpload", "confirm-upload"],
  ["uploadJson", "upload-json"],
]);

/**
 * Copies before each effect. After an effect is before the next one, because recording that an activity completed is an
 * effect as well.
 */
const beforeEffects: Recorder =
  ({ copy }) =>
  async (_name, work) => {
    await copy();
    return await work();
  };

/** Makes each request arrive without being applied the first time that its activity makes it, and copies then. */
const atDrops: Recorder = ({ sandbox, journal, copy }) => {
  const dropped = new Set<string>();
  return async (name, work) => {
    const step = steps.get(name);
    const request = `${name} of ${journal.read().begun.at(-1)}`;
    if (step === undefined || dropped.has(request)) return await work();
    dropped.add(request);
    sandbox.order({ step, do: { dropRequest: true } });
    try {
      return await work();
    } finally {
      await copy();
    }
  };
};

const never: KillPoint = { when: "before", number: 0 };

async function open<Found>(
  { plan }: CrashTest<Found>,
  store: CrashStore,
): Promise<CrashLane<Found>> {
  return await CrashLane.open(await plan(), store);
}

/** Kills a run for real before these effects, one after the other. */
async function killBefore<Found>(
  lane: CrashLane<Found>,
  points: readonly number[],
): Promise<readonly Death<Found>[]> {
  const deaths: Death<Found>[] = [];
  for (const number of points) deaths.push(await lane.kill({ when: "before", number }));
  return deaths;
}

/** Numbers of the effects before which a run is to die. */
function pointsOf<Found>(test: CrashTest<Found>, { effects }: Death<Found>): readonly number[] {
  return test.pointsOf?.(effects) ?? numbers(effects.length).map((index) => index + 1);
}

/** The middle point of each kind: the work for each chunk is alike. */
function ofEachKind(points: readonly number[], { effects }: Death<unknown>): number[] {
  const kinds = Map.groupBy(points, (point) => effects[point - 1]?.replaceAll(/\d+/g, ""));
  return [...kinds.values()].flatMap((same) => same[Math.floor(same.length / 2)] ?? []);
}

/** Checks the whole run and all deaths against what a test promises. */
function judge<Found>(
  { violationsOf }: CrashTest<Found>,
  whole: Death<Found>,
  deaths: readonly Death<Found>[],
): readonly string[] {
  return [whole, ...deaths].flatMap((death) => {
    const violations = [
      ...differs("whether it died", death.hasDied, death !== whole),
      ...violationsOf(death, whole),
    ];
    return violations.map((violation) => `${placeOf(death)}: ${violation}`);
  });
}

/** Lets a run die before its points, in copies of one run; and before some of them by a real kill. */
export async function dieBefore<Found>(
  test: CrashTest<Found>,
  which: Which,
  store: CrashStore = "sqlite",
): Promise<Outcome<Found>> {
  const lane = await open(test, store);
  const { whole, die } = await lane.record(beforeEffects);
  const all = pointsOf(test, whole);
  const points = which === "each" ? all : ofEachKind(all, whole);
  const deaths: Death<Found>[] = [];
  for (const number of points) deaths.push(await die(number));
  const perKill = which === "each" ? pointsPerKill : 2 * pointsPerKill;
  const some = points.filter((_, index) => index % perKill === perKill / 2);
  const killed = await killBefore(lane, some);
  const violations = [
    ...judge(test, whole, [...deaths, ...killed]),
    ...(which === "each" ? test.missingOf(deaths, whole) : []),
    ...killed.flatMap(({ effects }) =>
      differs(
        "the order of effects",
        effects.join(),
        whole.effects.slice(0, effects.length).join(),
      ),
    ),
  ];
  return { deaths, violations };
}

/** Lets a run die before each of its points by a real kill. */
export async function killEverywhere<Found>(test: CrashTest<Found>): Promise<Outcome<Found>> {
  const lane = await open(test, "sqlite");
  const whole = await lane.kill(never);
  const deaths = await killBefore(lane, pointsOf(test, whole));
  const violations = [...judge(test, whole, deaths), ...test.missingOf(deaths, whole)];
  return { deaths, violations };
}

/** Lets a run die at each request that arrived and was not applied, in copies of one run that meets all of these. */
export async function dieAtDrops<Found>(
  test: CrashTest<Found>,
  store: CrashStore = "sqlite",
): Promise<Outcome<Found>> {
  const lane = await open(test, store);
  const { whole, copies, die } = await lane.record(atDrops);
  const deaths: Death<Found>[] = [];
  for (let number = 1; number <= copies; number++) deaths.push(await die(number));
  return { deaths, violations: judge(test, whole, deaths) };
}

/** The same with a real kill at each. */
export async function killAtDrops<Found>(test: CrashTest<Found>): Promise<Outcome<Found>> {
  const lane = await open(test, "sqlite");
  const whole = await lane.kill(never);
  const deaths: Death<Found>[] = [];
  const before = new Map<Step, number>();
  for (const [index, name] of whole.effects.entries()) {
    const step = steps.get(name);
    if (step === undefined) continue;
    const after = before.get(step) ?? 0;
    before.set(step, after + 1);
    const point = { when: "after", number: index + 1 } as const;
    deaths.push(await lane.kill(point, { step, after, do: { dropRequest: true } }));
  }
  return { deaths, violations: judge(test, whole, deaths) };
}
