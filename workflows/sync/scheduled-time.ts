import { defineSearchAttributeKey, SearchAttributeType } from "@temporalio/common";
import { workflowInfo } from "@temporalio/workflow";

const scheduledStartTime = defineSearchAttributeKey(
  "TemporalScheduledStartTime",
  SearchAttributeType.DATETIME,
);

/**
 * The time that a schedule started this workflow for, which jitter and a server that was away leave as it is
 * (ISO); undefined for one that a person started.
 */
export function scheduledTime(): string | undefined {
  return workflowInfo().typedSearchAttributes.get(scheduledStartTime)?.toISOString();
}
