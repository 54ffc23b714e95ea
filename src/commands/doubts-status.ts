import { systemClock } from "../clock.ts";
import type { SyncName } from "../state/checkpoints.ts";
import type { DoubtFacts } from "../state/doubt-store.ts";
import type { StateStore } from "../state/state-store.ts";
import { counted } from "./report-text.ts";

/** Keys that are named of those that no run made. */
const keysShownMax = 10;

/** What of a sync may still be applied by older requests, or came with no later run. */
export type DoubtStatus = {
  readonly sync: string;
  readonly facts: DoubtFacts;
  /** The first stray keys, and the run that may have sent them. */
  readonly stray: readonly { readonly key: string; readonly runId: string }[];
};

/** Looks what is in doubt of syncs; of one of which nothing is, it says nothing. */
export async function lookForDoubts(
  state: Pick<StateStore, "doubtFacts" | "strayKeys">,
  names: readonly SyncName[],
): Promise<DoubtStatus[]> {
  const now = systemClock()();
  const found = await Promise.all(
    names.map(async ({ target, sync }) => {
      const facts = await state.doubtFacts({ target, sync, now });
      const stray = await state.strayKeys({ target, sync, limit: keysShownMax });
      return { sync, facts, stray };
    }),
  );
  return found.filter(({ facts }) => facts.inDoubt + facts.lost + facts.stray > 0);
}

function namesOf({ facts, stray }: DoubtStatus): string {
  const names = stray.map(({ key }) => key).join(", ");
  return facts.stray > stray.length ? `${names} and ${facts.stray - stray.length} more` : names;
}

/** What a person reads of it, a line each with what to do. */
export function doubtLines(status: DoubtStatus): string[] {
  const { sync, facts, stray } = status;
  const { inDoubt, due, lost } = facts;
  const lines: string[] = [];
  if (inDoubt > 0) {
    const when = due === inDoubt ? "now" : "when that is over";
    const many = counted(inDoubt, "record");
    lines.push(
      `${sync}: an older value may still be applied over ${many} → a worker sends them once more ${when}, or \`sluice run ${sync}\``,
    );
  }
  if (lost > 0) {
    const many = counted(lost, "record");
    lines.push(
      `${sync}: an older value may have been applied over ${many}, and the staged file that holds the newer one is gone → \`sluice backfill ${sync}\``,
    );
  }
  const [first] = stray;
  if (first !== undefined) {
    const many = counted(facts.stray, "record");
    lines.push(
      `${sync}: run ${first.runId} was given up and may have sent ${many} that came with no later run: ${namesOf(status)} → look whether the service holds them`,
    );
  }
  return lines;
}

/** The same for machines. */
export function doubtJson({ sync, facts, stray }: DoubtStatus): object {
  const { inDoubt, due, lost } = facts;
  return {
    sync,
    in_doubt: inDoubt,
    due,
    lost,
    stray: facts.stray,
    stray_keys: stray.map(({ key }) => key),
  };
}
