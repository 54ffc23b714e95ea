import type { Pull, Row } from "../../connectors/contract/connector.ts";
import type { ConnectorRequest } from "../../connectors/contract/request.ts";

/** What a source is asked with. */
export type SourceRequest = ConnectorRequest<unknown>;

/** What lies between two positions; an end that is undefined is the source's beginning or end. */
export type PlannedSpan = { readonly from: unknown; readonly to: unknown };

/** What planning asks of a source. */
export type SourceToPlan = Pick<
  Pull<unknown, unknown, Row>,
  "at" | "before" | "get" | "measure" | "read" | "readLimit" | "repeats" | "restart" | "split"
> & {
  readonly name: string;
  /** There in a source that is pushed to. */
  readonly push?: unknown;
};

/** What a source is asked with while a plan is made: what it logs besides has no reader. */
export function planningRequest(config: unknown, signal: AbortSignal): SourceRequest {
  return { config, signal, log: { info: () => undefined, warn: () => undefined } };
}

/**
 * Whether it is read on and on and holds versions of records one after the other: sent again alone, an older
 * one could overwrite a newer one. What is pushed does, whatever its inbox can do besides.
 */
export function isLog(
  source: Pick<SourceToPlan, "at" | "push" | "readLimit" | "restart">,
  config: unknown,
): boolean {
  if (source.push !== undefined) return true;
  return (
    source.restart?.(config) !== "each-run" &&
    source.readLimit === undefined &&
    source.at === undefined
  );
}
