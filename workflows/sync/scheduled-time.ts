import { defineSearchAttributeKey, SearchAttributeType } from "@temporalio/common";
import { workflowInfo } from "@temporalio/workflow";

const scheduledStartTime = defineSearchAttributeKey(
  "TemporalScheduledStartTime",
  SearchAttributeType.DATETIME,
);

/**
 * The time that a schedule started this workflow for (ISO), without jitter or the delay of a server that was away;
 * undefined when a person started it.
 */
export function scheduledTime(): string | undefined {
  return workflowInfo().typedSearchAttributes.get(scheduledStartTime)?.toISOString();
}
