import { setTimeout } from "node:timers/promises";

import type { Source } from "../../../connectors/contract/connector.ts";
import { sourcesOf } from "../../../connectors/registry.ts";
import type { Config } from "../../config/config.ts";
import { RetryLater } from "../../errors.ts";
import { rowCount } from "../../pipeline/page.ts";
import { plainText } from "../../text/plain-text.ts";
import { durationText } from "../../text/quantities.ts";
import { sourceWaitMsMax } from "../limits.ts";
import type { Output } from "../output/context.ts";

const yearMs = 366 * 24 * 3_600_000;

/** A wait, and when it is over: no date has room for any number that a source may name. */
function longWait(ms: number): string {
  if (ms > yearMs) return "more than a year";
  const when = `${new Date(Date.now() + ms).toISOString().slice(0, 19)}Z`;
  return `${durationText(ms)}: try again after ${when}`;
}

/** Waits as long as the source asks, and says so. @throws the error, for a long wait with the time in its hint. */
async function waitAsAsked(
  error: unknown,
  { say, waitedMs }: Pick<Output, "say"> & { readonly waitedMs: number },
  signal: AbortSignal,
): Promise<number> {
  const isLater = error instanceof RetryLater && !signal.aborted;
  if (!isLater || error.retryAfterMs === undefined) throw error;
  const { message, retryAfterMs: afterMs } = error;
  if (waitedMs + afterMs > sourceWaitMsMax) {
    const hint = `the source asks to wait for ${longWait(afterMs)}`;
    throw new RetryLater(message, { hint, afterMs, cause: error });
  }
  say(plainText(`${message}: waiting for ${durationText(afterMs)}, as the source asks`));
  await setTimeout(afterMs, undefined, { signal });
  return afterMs;
}

/**
 * The same source, except that a read waits, as a run does, where the source asks to be left alone, and continues
 * after the last page that came. @throws {RetryLater} it asks for more than a command waits for a page.
 */
function waitingFor(source: Source, { say }: Pick<Output, "say">): Source {
  return {
    ...source,
    read: async function* (request) {
      let { from, limit } = request;
      for (let waitedMs = 0; limit === undefined || limit > 0;) {
        try {
          for await (const page of source.read({ ...request, from, limit })) {
            // Before the page is handed over: a connector may reuse the object for its next one.
            from = structuredClone(page.position);
            waitedMs = 0;
            if (limit !== undefined) limit -= rowCount(page) + (page.rejects?.length ?? 0);
            yield page;
          }
          return;
        } catch (error) {
          waitedMs += await waitAsAsked(error, { say, waitedMs }, request.signal);
        }
      }
    },
  };
}

/** The connectors of a configuration for a command that reads by itself: they wait where their source asks for it. */
export function waitingSourcesOf(
  config: Pick<Config, "connectors">,
  output: Pick<Output, "say">,
): ReadonlyMap<string, Source> {
  return new Map(
    [...sourcesOf(config)].map(([name, source]) => [name, waitingFor(source, output)]),
  );
}
