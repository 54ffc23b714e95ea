import {
  ApplicationFailure,
  DefaultPayloadConverter,
  METADATA_ENCODING_KEY,
  type ConverterHint,
  type Payload,
  type SerializationContext,
} from "@temporalio/common";
import type { WorkflowInterceptors } from "@temporalio/workflow";

import { wrongInput } from "../src/failure-types.ts";

/** Takes the place of a payload that somebody else's client wrote and nobody can read. */
class UnreadablePayload {
  /** Quotes nothing of the payload. */
  readonly why: string;

  constructor(why: string) {
    this.why = why;
  }
}

function whyUnreadable({ metadata }: Payload): string {
  const encoding = metadata?.[METADATA_ENCODING_KEY];
  const name = encoding === undefined ? "none" : new TextDecoder().decode(encoding);
  return name === "json/plain"
    ? "it is not JSON: NaN, Infinity, comments and a comma after the last member are not allowed"
    : `its encoding is ${JSON.stringify(name.slice(0, 40))}: choose json/plain`;
}

/** Temporal would retry a workflow task for ever if its input cannot be decoded: this lets the workflow see it. */
class TolerantPayloadConverter extends DefaultPayloadConverter {
  override fromPayload<T>(
    payload: Payload,
    context?: SerializationContext,
    hint?: ConverterHint<T>,
  ): T;
  override fromPayload(
    payload: Payload,
    context?: SerializationContext,
    hint?: ConverterHint,
  ): unknown {
    try {
      return super.fromPayload(payload, context, hint);
    } catch (error) {
      // Activity results are our own: one that cannot be read is a fault, which a newer worker may not have.
      if (context?.type !== "workflow") throw error;
      return new UnreadablePayload(whyUnreadable(payload));
    }
  }
}

/** Temporal loads it by this name. */
export const payloadConverter = new TolerantPayloadConverter();

/** Ends a workflow whose input cannot be read, and says why. Temporal loads it by this name. */
export function interceptors(): WorkflowInterceptors {
  return {
    inbound: [
      {
        execute: async (input, next) => {
          for (const given of input.args) {
            if (!(given instanceof UnreadablePayload)) continue;
            throw ApplicationFailure.nonRetryable(wrongInput(`✖ ${given.why}`), "InvalidInput");
          }
          return await next(input);
        },
      },
    ],
  };
}
