import { SeededRandom } from "./seeded-random.ts";
import { drawFaults, drawHold, type FaultOrder } from "./world/http-faults.ts";

/** The family of events that a seed may be restricted to. */
export const families = ["kills", "http", "clock", "disk", "rerun", "source"] as const;

/** One of `families`. */
export type Family = (typeof families)[number];

/** What happens to a process: `stop` is SIGSTOP, and SIGCONT after twice the heartbeat timeout. */
export type ProcessFault = "kill" | "stop" | "term" | "kill-sandbox" | "kill-temporal";

/** A fault of a process to inject, and the event that triggers it. */
export type Injection = {
  readonly fault: ProcessFault;
  readonly at:
    /** The ledger shows this fault, which holds the request in place; a worker that is at this step is hit. */
    | { readonly hold: FaultOrder }
    /** The ledger of the run has this many lines. */
    | { readonly line: number };
};

/** What ends a run, and how the run then reports it. */
export type Ending = {
  readonly credits?: { readonly calls: number };
  readonly fault?: FaultOrder;
  readonly outcome: "credits_exhausted" | "failed";
  readonly code: "CreditsExhausted" | "AuthFailed" | "ContractBroken";
};

/** How a run is abandoned while the service holds one of its requests; `reset` resets a run that has ended. */
export const rerunWays = ["cancel", "terminate", "kill", "reset"] as const;

/** What happens after the main run, in which everything else happens. */
export type Rerun = {
  readonly by: (typeof rerunWays)[number];
  /** The fault that fits the run's mode holds the first request that applies records. */
  readonly holds: readonly FaultOrder[];
};

/**
 * What happens to a table, or to its server: another database at the address, a second version of a key, a server in a
 * zone ahead of a column without one, a server's clock that steps back, enough changes for a guardrail to hold the run.
 */
export const moveKinds = [
  "another-database",
  "second-version",
  "zone-ahead",
  "clock-back",
  "held",
] as const;

/** The change to a table after all that, and its details. */
export type Move = {
  readonly kind: (typeof moveKinds)[number];
  /** Whether the workers are killed in the middle of the following runs. */
  readonly killsWorkers: boolean;
  /** Whether a person says that the other database is the same; otherwise the first one is put back. */
  readonly rebinds: boolean;
  /** How far the server's clock steps back. */
  readonly hours: number;
  /** The `time_zone` of the connection: that of the application, that of the server, or none. */
  readonly timeZone?: string;
};

/** Everything that a seed decides. */
export type Plan = {
  readonly seed: number;
  readonly rowsPerFile: number;
  readonly files: number;
  /** One row in this many is of each special kind. */
  readonly every: number;
  readonly mode: "auto" | "heavyweight" | "lightweight";
  readonly chunkRecords: number;
  /** How many hours the clock of each worker is ahead; as many numbers as there are workers. */
  readonly clockHours: readonly number[];
  readonly confirms: "lenient" | "strict";
  /** Faults of requests, which the sandbox carries out. */
  readonly faults: readonly FaultOrder[];
  readonly requestsPerMinute?: number;
  /** What ends a run before the one in which everything else happens. */
  readonly ending?: Ending;
  /** Faults of processes, which the test itself injects. */
  readonly injections: readonly Injection[];
  readonly isDiskFull: boolean;
  readonly rerun?: Rerun;
  readonly move?: Move;
};

/**
 * How many hours the clock of a worker is ahead. A worker added later has the right time, unless the plan has one clock
 * for all.
 */
export function clockHoursOf({ clockHours, move }: Plan, worker: number): number {
  const later = move?.kind === "clock-back" ? clockHours[0] : 0;
  return clockHours[worker] ?? later ?? 0;
}

/** The input of a plan. */
export type PlanInput = {
  readonly seed: number;
  readonly rows: number;
  readonly only?: Family | undefined;
};

/** In one of this many seeds a run is ended, each time by the next of the four causes. */
const endingEvery = 25;

/** In one of this many seeds the service limits a key's requests a minute, which takes up to a minute. */
const quotaEvery = 50;

function endingOf(seed: number, random: SeededRandom): Ending | undefined {
  if (seed % endingEvery !== 7) return undefined;
  const after = random.whole("ending after", 1, 3);
  const broken = { outcome: "failed", code: "ContractBroken" } as const;
  switch (Math.floor(seed / endingEvery) % 4) {
    case 0:
      return {
        credits: { calls: random.whole("credits", 2, 9) },
        outcome: "credits_exhausted",
        code: "CreditsExhausted",
      };
    case 1:
      return {
        fault: { step: "confirm-upload", do: "answer", status: 401, after },
        outcome: "failed",
        code: "AuthFailed",
      };
    case 2: {
      const address = random.pick("unsafe", ["http", "user-info", "private-address", "other-host"]);
      return {
        fault: { step: "generate-upload-url", do: "unsafe-url", address, after },
        ...broken,
      };
    }
    default:
      return { fault: { step: "generate-upload-url", do: "same-key", after }, ...broken };
  }
}

/** Faults of workers: a kill is five times as likely as each of the others. */
const workerFaults = ["kill", "kill", "kill", "kill", "kill", "stop", "term"] as const;

function injectionsOf(
  random: SeededRandom,
  of: { readonly mode: "heavyweight" | "lightweight"; readonly chunks: number },
): Injection[] {
  // Three requests a chunk or one, less the last ones: a fault after the run would hit nothing.
  const lines = Math.max(1, (of.mode === "heavyweight" ? 3 : 1) * (of.chunks - 1));
  const injection = (what: string, fault: ProcessFault, isHeld: boolean): Injection => {
    const isSleep = fault === "stop";
    if (isHeld) return { fault, at: { hold: drawHold(random, { ...of, what, isSleep }) } };
    return { fault, at: { line: random.whole(`${what} line`, 1, lines) } };
  };
  // Draws keep their first names, because another name would give every seed another plan.
  const fault = random.pick("blow", workerFaults);
  const isHeld = fault === "stop" || (fault === "kill" && random.happens("hold", 0.75));
  const injections = [injection("first", fault, isHeld)];
  if (random.happens("second kill", 0.3)) injections.push(injection("second", "kill", true));
  if (random.happens("sandbox", 0.2)) injections.push(injection("sandbox", "kill-sandbox", false));
  if (random.happens("temporal", 0.12))
    injections.push(injection("temporal", "kill-temporal", false));
  return injections;
}

/** Longer than an abandoned run waits for an answer, and sometimes longer than the next run takes. */
const holdSeconds = [4, 15] as const;

/** Takes the items in turn, so that each comes equally often in any stretch of seeds: once in every `period`. */
function inTurn<Item>(items: readonly Item[], seed: number, period: number): Item | undefined {
  return items[seed % period];
}

/**
 * Seeds in which each way of abandoning a run, and each move, comes once. They have no common divisor, so that all
 * combinations occur.
 */
const [rerunPeriod, movePeriod] = [7, 8];

function rerunOf(random: SeededRandom, by: Rerun["by"]): Rerun {
  const held = {
    do: "hold",
    by: `${random.whole("hold for", ...holdSeconds)}s`,
    times: 1,
  } as const;
  const steps = ["upload-json", "confirm-upload"] as const;
  return { by, holds: by === "reset" ? [] : steps.map((step) => ({ step, ...held })) };
}

function moveOf(random: SeededRandom, kind: Move["kind"]): Move {
  const zone = random.pick("zone", ["UTC", "Asia/Tokyo", "unsaid"]);
  return {
    kind,
    killsWorkers: random.happens("move struck", 0.5),
    rebinds: random.happens("rebinds", 0.5),
    hours: random.whole("hours back", 2, 8),
    ...(kind === "zone-ahead" && zone !== "unsaid" ? { timeZone: zone } : {}),
  };
}

/** Everything that happens under this seed: a pure function, so that the seed alone repeats it. */
export function planOf({ seed, rows, only }: PlanInput): Plan {
  const random = new SeededRandom(seed);
  const isAllowed = (family: Family): boolean => only === undefined || only === family;
  const isDrawn = (family: Family, share: number): boolean =>
    only === family || (only === undefined && random.happens(family, share));
  const ending = isAllowed("http") ? endingOf(seed, random) : undefined;
  const files = random.whole("files", 5, 10);
  const rowsPerFile = Math.max(1, Math.floor(rows / files));
  const every = random.whole("every", 8, 24);
  // A page ends with its file, and a chunk with a page: a limit slightly above one file's records takes two files.
  const filesPerChunk = random.pick("files per chunk", [1, 1, 1, 2]);
  const mode =
    ending !== undefined
      ? "heavyweight"
      : random.pick<Plan["mode"]>("mode", [
          "heavyweight",
          "heavyweight",
          "lightweight",
          "lightweight",
          "auto",
        ]);
  const sent = mode === "lightweight" ? mode : "heavyweight";
  const chunks = Math.ceil(files / filesPerChunk);
  const workers = random.whole("workers", 1, 2);
  const isOff = isDrawn("clock", 0.25);
  const injections = isDrawn("kills", 0.95) ? injectionsOf(random, { mode: sent, chunks }) : [];
  const turn = <Item>(family: Family, items: readonly Item[], period: number): Item | undefined =>
    isAllowed(family) ? inTurn(items, seed, only === family ? items.length : period) : undefined;
  const rerunBy = turn("rerun", rerunWays, rerunPeriod);
  const kind = turn("source", moveKinds, movePeriod);
  // A server's clock step is measured by a machine's own clock: two machines that differ would measure nothing.
  const isOneClock = kind === "clock-back";
  const isRestarted = injections.some(({ fault }) => fault === "kill-sandbox");
  return {
    seed,
    rowsPerFile,
    files,
    every,
    mode,
    chunkRecords: 1 + (filesPerChunk - 1) * Math.ceil((rowsPerFile * 1.2 * (every - 5)) / every),
    clockHours: Array.from({ length: workers }, (_, worker) =>
      isOff
        ? random.pick(
            `clock ${isOneClock ? 0 : worker}`,
            worker === 0 || isOneClock ? [-2, 2] : [-2, 0, 2],
          )
        : 0,
    ),
    confirms: random.pick("confirms", ["lenient", "strict"]),
    // A sandbox that starts again counts from the beginning.
    faults: isAllowed("http") ? drawFaults(random, isRestarted ? 1 : 2) : [],
    ...(isAllowed("http") && seed % quotaEvery === 31
      ? { requestsPerMinute: sent === "heavyweight" ? chunks : Math.ceil(chunks / 2) }
      : {}),
    ...(ending === undefined ? {} : { ending }),
    injections,
    isDiskFull: isDrawn("disk", 0.15),
    ...(rerunBy === undefined ? {} : { rerun: rerunOf(random, rerunBy) }),
    ...(kind === undefined ? {} : { move: moveOf(random, kind) }),
  };
}
