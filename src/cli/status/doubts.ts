import type { Moment } from "../../clock.ts";
import type { DoubtFacts } from "../../state/contract/doubts/doubt-store.ts";
import type { SyncName } from "../../state/contract/runs/checkpoints.ts";
import type { StateStore } from "../../state/state-store.ts";
import { counted, minutesText } from "../../text/quantities.ts";
import { doubtfulSyncsMax } from "../limits.ts";

/** How many keys are named of those that were lost, or that no run made. */
const keysShownMax = 10;

/** A sync that is configured. */
export type ConfiguredSync = SyncName & {
  /** Whether others post what it sends, so that nothing can read it again. */
  readonly isPush: boolean;
  /** Whether one of its runs continues, and has requests on their way. */
  readonly isUnderWay: boolean;
};

/** A sync's doubts: keys over which older requests may still be applied, and keys that came with no later run. */
export type DoubtStatus = SyncName & {
  /** Undefined if it is not configured: nothing sends it any more. */
  readonly configured: ConfiguredSync | undefined;
  readonly facts: DoubtFacts;
  /** The first keys whose newer value is lost. */
  readonly lost: readonly string[];
  /** The first stray keys, and the run that may have sent them. */
  readonly stray: readonly { readonly key: string; readonly runId: string }[];
};

function isSame(one: SyncName, other: SyncName): boolean {
  return one.sync === other.sync && one.target === other.target;
}

/** Looks for what is in doubt, also for syncs that are not configured any more; leaves out those with no doubt. */
export async function lookForDoubts(
  state: Pick<StateStore, "doubtFacts" | "doubtfulSyncs" | "lostKeys" | "strayKeys">,
  syncs: readonly ConfiguredSync[],
  now: Moment,
): Promise<DoubtStatus[]> {
  const stored = await state.doubtfulSyncs({ limit: doubtfulSyncsMax });
  const others = stored.filter((each) => !syncs.some((sync) => isSame(sync, each)));
  const found = await Promise.all(
    [...syncs, ...others].map(async ({ target, sync }) => {
      const name = { target, sync };
      const facts = await state.doubtFacts({ ...name, now });
      const lost = await state.lostKeys({ ...name, limit: keysShownMax });
      const stray = await state.strayKeys({ ...name, limit: keysShownMax });
      const configured = syncs.find((each) => isSame(each, name));
      return { ...name, configured, facts, lost, stray };
    }),
  );
  return found.filter(({ configured, facts }) => {
    const pending = configured?.isUnderWay === true ? 0 : facts.pending;
    return facts.inDoubt + facts.lost + facts.stray + pending > 0;
  });
}

/** Keys by name, and how many more there are. */
function namesOf(keys: readonly string[], all: number): string {
  const names = keys.join(", ");
  return all > keys.length ? `${names} and ${all - keys.length} more` : names;
}

/** How long something may still be applied; undefined while a request has not ended. */
function howLong(ms: number | undefined): string {
  return ms === undefined ? "until its request has ended" : `for ${minutesText(ms)}`;
}

/** The line for a person about the keys in doubt of a configured sync. */
function inDoubtLine(sync: string, { inDoubt, due, waitMs }: DoubtFacts): string {
  const many = counted(inDoubt, "record");
  const next = "a worker sends them once more";
  if (due === inDoubt) {
    return `${sync}: an older value may have been applied over ${many} → ${next} now, or \`sluice run ${sync}\``;
  }
  const over = due === 0 ? "" : `, no longer over ${due} of them`;
  return (
    `${sync}: an older value may still be applied over ${many}, ${howLong(waitMs)}${over} → ` +
    `${next} when that is over, or \`sluice run ${sync}\` then`
  );
}

function lostWay({ sync, configured }: DoubtStatus): string {
  return configured?.isPush === true
    ? "have their sender post them again"
    : `\`sluice backfill ${sync}\``;
}

/** The lines for a person, each with what to do. */
export function doubtLines(status: DoubtStatus): string[] {
  const { target, configured, facts, lost, stray } = status;
  const { pending, pendingMs } = facts;
  const sync = configured === undefined ? `${status.sync} of ${target}` : status.sync;
  const reset = `\`sluice state reset ${status.sync} --target '${target}' --reason …\` gives them up`;
  const back = `nothing sends them while it is not configured: configure it again, or ${reset}`;
  const lines: string[] = [];
  if (facts.inDoubt > 0) {
    const many = counted(facts.inDoubt, "record");
    lines.push(
      configured === undefined
        ? `${sync}: an older value may have been applied over ${many} → ${back}`
        : inDoubtLine(sync, facts),
    );
  } else if (pending > 0 && configured?.isUnderWay === false) {
    const many = counted(pending, "record");
    lines.push(
      `${sync}: the outcome of requests with ${many} is unknown: they may still be applied, ` +
        `${howLong(pendingMs)} → records sent meanwhile are sent once more`,
    );
  }
  if (facts.lost > 0) {
    const many = counted(facts.lost, "record");
    const way = configured === undefined ? back : lostWay(status);
    lines.push(
      `${sync}: an older value may have been applied over ${many}, and the newer one could not be sent once ` +
        `more (its staged file is gone, or the service refused it): ${namesOf(lost, facts.lost)} → ${way}`,
    );
  }
  const [first] = stray;
  if (first !== undefined) {
    const many = counted(facts.stray, "record");
    const keys = namesOf(
      stray.map(({ key }) => key),
      facts.stray,
    );
    const way = "check whether the service holds them";
    lines.push(
      `${sync}: run ${first.runId} was given up and may have sent ${many} that came with no ` +
        `later run: ${keys} → ${configured === undefined ? `${way}; ${reset}` : way}`,
    );
  }
  return lines;
}

/** The same for machines. */
export function doubtJson({ target, sync, configured, facts, lost, stray }: DoubtStatus): object {
  const { inDoubt, due, waitMs, pending, pendingMs } = facts;
  return {
    sync,
    target,
    configured: configured !== undefined,
    in_doubt: inDoubt,
    due,
    // Until more of them are due; null if none waits, or a request has not ended.
    wait_ms: waitMs ?? null,
    pending,
    // Null while a request has not ended.
    pending_ms: pendingMs ?? null,
    lost: facts.lost,
    lost_keys: lost,
    stray: facts.stray,
    stray_keys: stray.map(({ key }) => key),
  };
}
