import type { FailureFacts } from "../../activities/failure.ts";
import type { SplitInput } from "../../activities/inputs.ts";

/**
 * How to split a part that failed: without the records that the service named, otherwise in halves; undefined when it
 * is not to be split.
 */
export function howToSplit(
  type: string | null | undefined,
  { refused = [] }: Pick<FailureFacts, "refused">,
): SplitInput["how"] | undefined {
  if (type === "TooLarge") return { halves: true, why: "too_large" };
  if (type === "ServiceFails") return { halves: true, why: "service_fails" };
  if (type !== "RecordsRejected") return undefined;
  return refused.length > 0 ? { without: refused } : { halves: true, why: "refused_by_service" };
}
