// What the service holds after some attempts, and what a store may report about it.
import type { KnownRecord } from "../../../../../src/state/contract/keys/known-records.ts";
import type { StageName, Staging } from "../../../../../src/state/contract/sends/stagings.ts";

/** The name of the only field of the records. */
export const fieldName = "f";

/** The hash of the field in records of a version. */
export function fieldOf(version: number): number {
  return 1_000 + version;
}

/** One staging of a chunk, and what became of its records; times are of `performance.now`. */
export type SentStaging = {
  readonly ref: StageName;
  readonly send: number;
  readonly version: number;
  readonly keys: ReadonlySet<string>;
  /** When all of it was staged. */
  readonly stagedAt: number;
  /** When it was committed, or when the call began that abandoned it; infinite until then. */
  endedAt: number;
  /** Keys whose record the service certainly has. */
  readonly accepted: Set<string>;
  /** Keys whose record the service may have: they left, and were not refused. */
  readonly perhaps: Set<string>;
  /** The number of refused keys. */
  refused: number;
  /** Its final state in the store. */
  state: Staging["state"];
};

/** Whether another staging's record of a key may be applied after that of this one. */
function mayFollow(key: string, other: SentStaging, found: SentStaging): boolean {
  return other !== found && other.perhaps.has(key) && other.endedAt >= found.stagedAt;
}

/** What is wrong with the hash and the fields of a key that is known from a staging, in words. */
function notItsRecord(
  key: string,
  known: Extract<KnownRecord, { readonly state: "accepted" }>,
  { send, version }: SentStaging,
): readonly string[] {
  const hashes = [...new Set(known.hash)].join();
  const fields = (known.fields ?? []).map(({ name, hash }) => `${name}=${hash}`).join();
  const isIts = hashes === String(version) && fields === `${fieldName}=${fieldOf(version)}`;
  return isIts
    ? []
    : [`${key} is known by send ${send} (${version}), with the hash ${hashes} and ${fields}`];
}

/** Everything that was sent in one run, and before it. */
export class SentRecords {
  /** What was wrong while the lanes were at work. */
  readonly seen: string[] = [];
  readonly #all: SentStaging[] = [];
  readonly #before: SentStaging;

  /** `before` is the only staging of an earlier run. */
  constructor(before: SentStaging) {
    this.#before = before;
  }

  /** The stagings of the run, in the order in which they were staged. */
  get ofRun(): readonly SentStaging[] {
    return this.#all;
  }

  get keys(): readonly string[] {
    return [...new Set([this.#before, ...this.#all].flatMap(({ keys }) => [...keys]))];
  }

  note(sent: SentStaging): void {
    this.#all.push(sent);
  }

  /**
   * Looks at some keys while the lanes are at work, and records errors: a key is known although the service may have
   * another record of it, which left before and has not been refused since.
   */
  async watch(
    keys: readonly string[],
    look: (keys: readonly string[]) => Promise<readonly KnownRecord[]>,
  ): Promise<void> {
    const left = keys.map((key) => this.#all.filter(({ perhaps }) => perhaps.has(key)));
    for (const [index, known] of (await look(keys)).entries()) {
      const key = keys[index] ?? "";
      const found = this.#sentBy(known);
      if (found === undefined || known.state !== "accepted") continue;
      const others = left[index]?.filter((other) => mayFollow(key, other, found)) ?? [];
      if (others.length > 0) {
        this.seen.push(`${key} was known by send ${known.send}: ${this.#story(key)}`);
      }
      this.seen.push(...notItsRecord(key, known, found));
    }
  }

  /** What is finally wrong with a store's answer about a key, in words. */
  wrong(key: string, known: KnownRecord): readonly string[] {
    if (known.state !== "accepted") {
      const isLost = this.#mustBeKnown(key) !== undefined;
      return isLost ? [`${key} is ${known.state}: ${this.#story(key)}`] : [];
    }
    const found = this.#sentBy(known);
    return found !== undefined && this.#isCertain(key, found)
      ? notItsRecord(key, known, found)
      : [`${key} is known by send ${known.send}: ${this.#story(key)}`];
  }

  #sentBy(known: KnownRecord): SentStaging | undefined {
    if (known.state !== "accepted") return undefined;
    return [this.#before, ...this.#all].find(({ send }) => send === known.send);
  }

  /** Whether the service certainly has the record of a staging, whichever other one of the run is applied after it. */
  #isCertain(key: string, found: SentStaging): boolean {
    return (
      found.accepted.has(key) &&
      (found.state === "committed" || found.state === "cut") &&
      !this.#all.some((other) => mayFollow(key, other, found))
    );
  }

  /** The staging by which a key must be known, because no other attempt could have it in doubt. */
  #mustBeKnown(key: string): SentStaging | undefined {
    const having = this.#all.filter(({ keys }) => keys.has(key));
    const left = having.filter(({ perhaps, refused }) => perhaps.size > 0 || refused > 0);
    if (left.length === 0) return this.#before.keys.has(key) ? this.#before : undefined;
    if (new Set(having.map(({ ref }) => ref.chunk)).size > 1) return undefined;
    return having.find((one) => this.#isCertain(key, one));
  }

  #story(key: string): string {
    const having = this.#all.filter(({ keys }) => keys.has(key));
    const texts = having.map(({ ref, send, version, state, accepted, perhaps }) => {
      const how = accepted.has(key) ? "accepted" : perhaps.has(key) ? "perhaps" : "not sent";
      return `send ${send} (${version}) of chunk ${ref.chunk} stage ${ref.stage} ${state}, ${how}`;
    });
    return texts.join("; ");
  }
}
