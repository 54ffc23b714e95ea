import type { DoubtFacts } from "../state/contract/doubts/doubt-store.ts";
import { counted, minutesText } from "../text/quantities.ts";

/** Words by which the warnings below are recognised. */
const words = {
  pending: "they may still be applied, ",
  inDoubt: "an older value may still be applied over ",
  lost: "an older value may have been applied over ",
  stray: " that a run may have sent before it was given up came with no later run: ",
};

/** The warnings of an ended run about records that may still be applied. */
export function doubtWarnings(
  { inDoubt, due, lost, waitMs, pending, pendingMs, stray }: DoubtFacts,
  { isDone }: { readonly isDone: boolean },
): string[] {
  const warnings: string[] = [];
  if (pending > 0 && !isDone) {
    const how =
      pendingMs === undefined ? "until its process ends" : `for ${minutesText(pendingMs)}`;
    const many = counted(pending, "record");
    warnings.push(`the outcome of requests with ${many} is unknown: ${words.pending}${how}`);
  }
  if (inDoubt > 0) {
    const when =
      due === inDoubt
        ? "with the next run"
        : waitMs === undefined
          ? "when the older request has ended"
          : `in ${minutesText(waitMs)}`;
    warnings.push(
      `${words.inDoubt}${counted(inDoubt, "record")}, which will be sent once more ${when}`,
    );
  }
  if (lost > 0) {
    warnings.push(
      `${words.lost}${counted(lost, "record")}, and they could not be sent once more: \`sluice status\` names some`,
    );
  }
  if (stray > 0) {
    warnings.push(`${counted(stray, "record")}${words.stray}\`sluice status\` names some`);
  }
  return warnings;
}

/**
 * Whether a warning is about doubts at the end of its run: `sluice status` checks for itself how they
 * are now.
 */
export function isOfDoubt(warning: string): boolean {
  return Object.values(words).some((text) => warning.includes(text));
}
