import { verdict } from "../../../../src/state/contract/keys/fingerprints.ts";
import { sendOf } from "../../../../src/state/rules/keys/ages.ts";
import { nowMs } from "../store-under-test.ts";

/** The mapping of a run: every second run has the other one. */
export function mappingOf(runId: string): string {
  return `mapping ${Number(runId.slice(1)) % 2}`;
}

/** When a run commits its chunks (Unix ms). */
export function committedAt(runId: string): number {
  return nowMs + Number(runId.slice(1)) * 1_000;
}

/** Commits from this time on count, for a way that resends old records: the run's own, or the previous run's too. */
export function committedAfter(runId: string, way: Way): number | undefined {
  const older = (Number(runId.slice(1)) % 2) * 1_000;
  return way === "resendAfter" ? committedAt(runId) - older : undefined;
}

/** How a run judges everything it reads. */
export const ways = {
  once: { rejectDuplicates: true, full: false },
  often: { rejectDuplicates: false, full: false },
  full: { rejectDuplicates: true, full: true },
  fullOften: { rejectDuplicates: false, full: true },
  replay: { rejectDuplicates: false, full: false },
  resendAfter: { rejectDuplicates: false, full: false },
} as const;

export type Way = keyof typeof ways;

/** A key, and the version of its record. */
export type Row = readonly [key: string, version: number];

type Sent = { readonly version: number; readonly send: number; readonly isTwice: boolean };

/** The rules, with the whole history available. */
export class Rules {
  readonly sends = new Map<number, { readonly runId: string; state: string }>();
  readonly #sent = new Map<string, readonly Sent[]>();
  readonly #seen = new Map<string, number[]>();
  #validAfter = 0;

  forget(): void {
    this.#validAfter = Math.max(...this.sends.keys());
  }

  /** Ends a staging attempt. An attempt that was abandoned before any of it left is undone as if it had never begun. */
  decide(send: number, state: "committed" | "dropped", hasLeft: boolean): void {
    const found = this.sends.get(send);
    if (found?.state !== "staging") return;
    found.state = state;
    if (state === "committed" || hasLeft) return;
    for (const [key, all] of this.#sent) {
      const others = all.filter((one) => one.send !== send);
      this.#sent.set(key, others);
      // For a key that is new again, a replay is as new as any row: the later row never left.
      if (others.length === 0) this.#seen.delete(key);
    }
  }

  /** The known state of each key: the version of its record, or why there is none. */
  known(keys: readonly string[]): readonly unknown[] {
    return keys.map((key) => {
      const sent = this.#sent.get(key)?.at(-1);
      if (sent === undefined) return this.#validAfter === 0 ? "new" : "unknown";
      return this.#isKnown(sent) ? sent.version : "unknown";
    });
  }

  #isAccepted(send: number): boolean {
    return this.sends.get(send)?.state === "committed";
  }

  #isKnown({ isTwice, send }: Sent): boolean {
    return !isTwice && send > this.#validAfter && this.#isAccepted(send);
  }

  #mappingOf(send: number): string {
    return mappingOf(this.sends.get(send)?.runId ?? "");
  }

  judge(
    [key, version]: Row,
    { send, now, age, way }: { send: number; now: number; age: number | undefined; way: Way },
  ): number {
    const { rejectDuplicates, full } = ways[way];
    const seen = this.#seen.get(key) ?? [];
    const all = this.#sent.get(key) ?? [];
    const sent = all.at(-1);
    const runId = this.sends.get(send)?.runId;
    const isOurs = (other: number): boolean =>
      this.sends.get(other)?.runId === runId && this.sends.get(other)?.state !== "dropped";

    const newest = Math.max(0, ...seen.filter((other) => this.#isAccepted(sendOf(other))));
    if (age !== undefined && newest > age) return verdict.superseded;
    if (rejectDuplicates && seen.some((other) => isOurs(sendOf(other)))) return verdict.duplicate;
    this.#seen.set(key, [...seen, age ?? now]);
    const after = committedAfter(runId ?? "", way) ?? 0;
    const isFresh =
      sent !== undefined && committedAt(this.sends.get(sent.send)?.runId ?? "") >= after;
    const isKnown = isFresh && this.#isKnown(sent);
    const isSame = isKnown && sent.version === version;
    if (!full && isSame) return verdict.unchanged;
    const isTwice =
      sent !== undefined &&
      (sent.isTwice ? this.sends.get(sent.send)?.runId === runId : isOurs(sent.send));
    this.#sent.set(key, [...all, { version, send, isTwice }]);
    if (sent === undefined) return verdict.new;
    if (isSame || isTwice) return verdict.again;
    if (!isKnown) return verdict.unknown;
    return this.#mappingOf(sent.send) === this.#mappingOf(send)
      ? verdict.changed
      : verdict.remapped;
  }
}
