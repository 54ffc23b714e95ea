import type { UpdateDefinition } from "@temporalio/common";
import { ApplicationFailure, defineUpdate, setHandler } from "@temporalio/workflow";

/** The error of a refused update: a person reads it where the update was sent. */
export function refusal(message: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(message, "Refused");
}

/**
 * Offers an update, whose argument is whatever a person typed. The details show its effect; the Web UI shows no result.
 */
export function onUpdate(
  name: string,
  {
    description,
    validator,
    handler,
  }: {
    readonly description: string;
    readonly validator: (input?: unknown) => void;
    readonly handler: (input?: unknown) => Promise<void> | void;
  },
): void {
  type Update = UpdateDefinition<void, [unknown?]>;
  const update: Update = defineUpdate<void, [unknown?]>(name);
  setHandler<void, [unknown?], Update>(update, handler, { description, validator });
}
