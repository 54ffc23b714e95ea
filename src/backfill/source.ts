import type { Pull, Row } from "../../connectors/contract/connector.ts";
import type { ConnectorRequest } from "../../connectors/contract/request.ts";

/** The request for a call of a source. */
export type SourceRequest = ConnectorRequest<unknown>;

/** The range between two positions; an undefined end is the source's beginning or end. */
export type PlannedSpan = { readonly from: unknown; readonly to: unknown };

/** The parts of a source that planning uses. */
export type SourceToPlan = Pick<
  Pull<unknown, unknown, Row>,
  "at" | "before" | "get" | "measure" | "read" | "readLimit" | "repeats" | "restart" | "split"
> & {
  readonly name: string;
  /** Present in a source that is pushed to. */
  readonly push?: unknown;
};

/** The request for calls of a source while a plan is made; nobody reads what it logs. */
export function planningRequest(config: unknown, signal: AbortSignal): SourceRequest {
  return { config, signal, log: { info: () => undefined, warn: () => undefined } };
}

/**
 * Whether a source is read continuously and holds successive versions of records, so that an older version, sent
 * again alone, could overwrite a newer one. Always true for a source that is pushed to, whatever its inbox can do.
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
