// What a seed decides about three lanes that send the same keys.
import { SeededRandom } from "../../../../chaos/seeded-random.ts";
import { numbers } from "../../../../support/sequences.ts";

/** The numbers of the lanes, and the maximum number of chunks of each. */
const [lanes, chunksMax] = [[1, 2, 3], 3];

/** The maximum number of stagings of a chunk; a lane whose last attempt did not reach an end stops there. */
const attemptsMax = 4;

/** How many times as long one of the lanes takes for a chunk: staged before the others, it ends after them. */
const slowness = 4;

/** How long a statement that writes keys may take. */
const slowMs = [0, 4, 15] as const;

/** The maximum number of keys of a chunk that may be refused. */
const refusedMax = 4;

/** Keys that every chunk may send; the first half are known before. */
export const sharedKeys: readonly string[] = numbers(10).map((number) => `shared${number}`);

/**
 * How an attempt ends. `abandon` and `drop` are abandoned before anything left, the former in the middle of its
 * staging; `leave` once a part left, and `lose` once it was accepted. With `refuse` the service refuses the first keys;
 * with `cut` all, and with `cutHalf` the second half: the lane then stops.
 */
const ends = [
  ...(["accept", "accept", "accept", "refuse", "refuse", "refuse", "cut", "cutHalf"] as const),
  ...(["abandon", "drop", "leave", "lose"] as const),
] as const;

/** What an attempt believed dead still does, on another host or on the same. */
export type LateCall = {
  readonly does: "prepare" | "commit";
  /** When it is called: once the chunk is staged, or has left. */
  readonly once: "staged" | "left";
  readonly isOnItsHost: boolean;
  readonly waitsMs: number;
};

/** One staging of a chunk, and what becomes of it. */
export type PlannedAttempt = {
  /** The version of its records, which no other attempt sends. */
  readonly version: number;
  /** In the order of sending. */
  readonly keys: readonly string[];
  readonly end: (typeof ends)[number];
  /** How many of the first keys the service refuses. */
  readonly refused: number;
  readonly late: readonly LateCall[];
  /** Whether its commit fails at its end, after all its earlier writes, and is retried once. */
  readonly failsOnce: boolean;
  /** How long after the call that ends it the same call is repeated, from another host; undefined if not at all. */
  readonly againMs: number | undefined;
  /** Before it is staged, between its steps, and before it ends. */
  readonly waitsMs: readonly [number, number, number];
};

/** A lane: the attempts of its chunks. */
export type PlannedLane = {
  readonly lane: number;
  readonly chunks: readonly (readonly PlannedAttempt[])[];
};

/** Everything that a seed decides. */
export type PlannedRun = {
  readonly lanes: readonly PlannedLane[];
  /** How long each statement that writes keys takes, if the database can be made slow. */
  readonly slowMs: number;
  /** Whether the run is abandoned while late attempts are still at work. */
  readonly endsEarly: boolean;
};

/** The timing and sizes for a kind of store. */
export type Pace = {
  /** The maximum length of a wait. */
  readonly waitMs: number;
  /** How many keys the database writes in one transaction. */
  readonly keysPerStep: number;
  /** The share of chunks with more keys than that. */
  readonly largeShare: number;
};

/** Draws the course of one attempt. */
class AttemptDraw {
  readonly #random: SeededRandom;
  readonly #pace: Pace;
  readonly #what: string;

  constructor(random: SeededRandom, pace: Pace, what: string) {
    [this.#random, this.#pace, this.#what] = [random, pace, what];
  }

  attempt(version: number, keys: readonly string[]): PlannedAttempt {
    const draw = (what: string): string => `${this.#what} ${what}`;
    const isTwice = this.#random.happens(draw("again"), 0.5);
    return {
      version,
      keys,
      end: this.#random.pick(draw("end"), ends),
      refused: this.#random.whole(draw("refused"), 1, refusedMax),
      late: numbers(this.#random.whole(draw("late"), 0, 3)).map((one) => this.#lateCall(one)),
      failsOnce: this.#random.happens(draw("fails"), 0.3),
      againMs: isTwice ? this.#wait("again after") / 8 : undefined,
      waitsMs: [this.#wait("first") / slowness, this.#wait("second"), this.#wait("third")],
    };
  }

  #wait(what: string): number {
    return this.#random.fraction(`${this.#what} ${what}`) ** 2 * this.#pace.waitMs;
  }

  #lateCall(number: number): LateCall {
    const draw = (what: string): string => `${this.#what} late ${number} ${what}`;
    return {
      does: this.#random.happens(draw("does"), 0.6) ? "prepare" : "commit",
      once: this.#random.happens(draw("once"), 0.3) ? "staged" : "left",
      isOnItsHost: this.#random.happens(draw("host"), 0.3),
      waitsMs: this.#wait(`late ${number} waits`),
    };
  }
}

/** The keys of a chunk: some that all lanes send, and others, rarely so many that they take several transactions. */
function keysOfChunk(
  random: SeededRandom,
  { keysPerStep, largeShare }: Pace,
  what: string,
): readonly string[] {
  const shared = sharedKeys.filter((key) => random.happens(`${what} ${key}`, 0.6));
  const own = random.happens(`${what} is large`, largeShare)
    ? Math.round(keysPerStep * 1.2)
    : random.whole(`${what} own`, 2, 6);
  const keys = [...shared, ...numbers(own).map((number) => `${what} ${number}`)];
  const placed = keys.map((key) => ({ key, at: random.fraction(`${what} place of ${key}`) }));
  const ordered = placed.toSorted((a, b) => a.at - b.at).map(({ key }) => key);
  // The first keys are those that may be refused.
  const first = ordered.filter((key) => shared.includes(key)).slice(0, refusedMax);
  return [...first, ...ordered.filter((key) => !first.includes(key))];
}

/** What a seed decides: a pure function of it. */
export function planOfLanes(seed: number, pace: Pace): PlannedRun {
  const random = new SeededRandom(seed);
  // A later chunk of one lane makes keys unknown again, and so hides errors of the others.
  const isLong = random.happens("long", 0.3);
  const slowLane = random.whole("slow lane", 1, lanes.length);
  const chunkOf = (lane: number, chunk: number): readonly PlannedAttempt[] => {
    const waitMs = pace.waitMs * (lane === slowLane ? slowness : 1);
    const what = `lane ${lane} chunk ${chunk}`;
    const keys = keysOfChunk(random, pace, what);
    const attempts = numbers(attemptsMax).map((attempt) => {
      const version = 2 + attempt + attemptsMax * (chunk + chunksMax * lane);
      return new AttemptDraw(random, { ...pace, waitMs }, `${what} attempt ${attempt}`).attempt(
        version,
        keys,
      );
    });
    const last = attempts.findIndex(({ end }) => !isGivenUp(end));
    return last < 0 ? attempts : attempts.slice(0, last + 1);
  };
  return {
    lanes: lanes.map((lane) => {
      const chunks = numbers(isLong ? random.whole(`lane ${lane} chunks`, 1, chunksMax) : 1);
      return { lane, chunks: chunks.map((chunk) => chunkOf(lane, chunk)) };
    }),
    slowMs: random.pick("slow", slowMs),
    endsEarly: random.happens("ends early", 0.5),
  };
}

/** Whether an attempt with this end is followed by another one of its chunk. */
function isGivenUp(end: PlannedAttempt["end"]): boolean {
  return end === "abandon" || end === "drop" || end === "leave" || end === "lose";
}
