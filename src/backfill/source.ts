import type { RowPage } from "../pipeline/page.ts";

/** What a source is asked with. */
export type SourceRequest = {
  readonly config: unknown;
  readonly signal: AbortSignal;
  readonly log: { info(text: string): void; warn(text: string): void };
};

/** What lies between two positions; an end that is undefined is the source's beginning or end. */
export type PlannedSpan = { readonly from: unknown; readonly to: unknown };

type SpanRequest = SourceRequest & PlannedSpan;

/** What planning asks of a source; `connectors/contract/connector.ts` says what each member promises. */
export type SourceToPlan = {
  readonly name: string;
  /** There in a source that is pushed to. */
  readonly push?: unknown;
  read(
    ask: SpanRequest & { readonly pageRowsMax: number; readonly limit?: number | undefined },
  ): AsyncIterable<RowPage>;
  restart?(config: unknown): "each-run" | "resume";
  measure?(ask: SpanRequest): Promise<{
    readonly rows?: number | undefined;
    readonly bytes?: number | undefined;
    readonly exact: boolean;
  }>;
  readLimit?(ask: SourceRequest): Promise<{ readonly to?: unknown }>;
  at?(input: { readonly config: unknown; readonly when: Date }): unknown;
  before?(ask: SourceRequest & { readonly place: string }): Promise<unknown>;
  repeats?(
    ask: SourceRequest & { readonly columns: readonly string[] },
  ): Promise<"often" | "once" | undefined>;
  split?(
    ask: SpanRequest & { readonly parts: number },
  ): Promise<readonly { readonly from?: unknown; readonly to?: unknown }[]>;
  get?(
    ask: SpanRequest & { readonly names: readonly string[] },
  ): Promise<Omit<RowPage, "position"> & { readonly missing: readonly string[] }>;
};

/** What a source is asked with while a plan is made: what it logs besides has no reader. */
export function askToPlan(config: unknown, signal: AbortSignal): SourceRequest {
  return { config, signal, log: { info: () => undefined, warn: () => undefined } };
}

/**
 * Whether it is read on and on and holds versions of records one after the other: sent again alone, an older
 * one could overwrite a newer one.
 */
export function isLog(
  source: Pick<SourceToPlan, "at" | "readLimit" | "restart">,
  config: unknown,
): boolean {
  return (
    source.restart?.(config) !== "each-run" &&
    source.readLimit === undefined &&
    source.at === undefined
  );
}
