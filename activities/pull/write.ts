import type { Written } from "../../connectors/contract/connector.ts";
import { readRequestOf, connectorOf } from "../../connectors/source.ts";
import type { SearchPage } from "../../src/api/search.ts";
import type { PullConfig } from "../../src/config/schema/pull.ts";
import { ApiUnavailableError, ConfigError } from "../../src/errors.ts";
import { pageRowsMax } from "../../src/limits.ts";
import type { PageCounts } from "../../src/state/contract/pull/pull-runs.ts";
import type { RejectEntry } from "../../src/state/contract/rejects/rejects.ts";
import type { Dependencies } from "../dependencies.ts";
import { leaveMsMax, lookHoldsMs } from "../limits.ts";
import { startWatch } from "../upload/leaving.ts";
import { patchOf, resultReject, type ResultPatch } from "./patches.ts";

/** The outcome of writing a page into the source. */
export type WrittenResults = {
  readonly counts: PageCounts;
  readonly rejects: readonly RejectEntry[];
  /** Keys that distinguish the results, as text. */
  readonly keys: readonly string[];
};

type Patched = Extract<ResultPatch, { readonly place: string }>;

/** How a page is written. */
type Writing = {
  readonly signal: AbortSignal;
  /** The stopwatch that runs since the pull was known to be at this page. */
  readonly passedMs: () => number;
  /** Whether the page still waits to be written. */
  readonly isNext: () => Promise<boolean>;
};

/**
 * @throws {ApiUnavailableError} the process was stopped, or the machine slept, so long that another attempt may have
 * written this page and newer ones. The page is kept, and the next attempt looks whether it is still to be written.
 */
function assertNotLate(
  { config }: Pick<Dependencies, "config">,
  { signal, passedMs }: Pick<Writing, "passedMs" | "signal">,
): void {
  signal.throwIfAborted();
  const ms = passedMs();
  // Temporal counts from the last heartbeat that it received, seconds before the stopwatch started.
  if (ms <= Math.min(leaveMsMax, config.advanced.heartbeatTimeoutMs / 2)) return;
  throw new ApiUnavailableError(
    `the page was not written: ${Math.round(ms / 1_000)} s passed since it was known to be the next`,
  );
}

/**
 * Looks once more, for a connector that had to wait, and again once the last look no longer holds: a page of refused
 * rows takes thousands of statements.
 * @returns what throws {@link ApiUnavailableError} as `assertNotLate` does.
 */
function lookingAgain(
  deps: Pick<Dependencies, "config">,
  { signal, isNext }: Writing,
): () => Promise<void> {
  let sinceLookMs: (() => number) | undefined;
  return async () => {
    signal.throwIfAborted();
    if (sinceLookMs !== undefined && sinceLookMs() < lookHoldsMs) return;
    const passedMs = startWatch();
    if (!(await isNext())) {
      throw new ApiUnavailableError(
        "the page was not written: another attempt has done so, or another pull fetched newer values",
      );
    }
    assertNotLate(deps, { signal, passedMs });
    sinceLookMs = passedMs;
  };
}

async function write(
  deps: Pick<Dependencies, "config" | "effect" | "sources">,
  { writeBack }: PullConfig,
  how: Writing & { readonly patched: readonly Patched[] },
): Promise<readonly Written[]> {
  const source = connectorOf(deps, writeBack.connector);
  if (source.write === undefined) {
    throw new ConfigError(`the connector ${writeBack.connector} writes nothing back`);
  }
  const written: Written[] = [];
  const beforeWrite = lookingAgain(deps, how);
  for (let start = 0; start < how.patched.length; start += pageRowsMax) {
    const patches = how.patched.slice(start, start + pageRowsMax).map(({ patch }) => patch);
    const request = { ...readRequestOf(writeBack, how.signal), patches, beforeWrite };
    const answers = await deps.effect("writeBack", async () => {
      assertNotLate(deps, how);
      return await source.write?.(request);
    });
    written.push(...(answers ?? []));
  }
  return written;
}

/** Writes a page into the source. Twice is once: rows that already have their values are left alone. */
export async function writePage(
  deps: Pick<Dependencies, "config" | "effect" | "sources">,
  pull: PullConfig,
  how: Writing & { readonly page: Pick<SearchPage, "bad" | "items"> },
): Promise<WrittenResults> {
  const { of } = pull;
  const { bad, items } = how.page;
  const rejects = bad.map(({ index, reason }) =>
    resultReject(of, {
      place: `result ${index + 1} of its page`,
      step: "pull",
      code: "bad_result",
      reason,
    }),
  );
  const made = items.map((item) => patchOf(item, pull));
  const patched = made.filter((each) => "patch" in each);
  rejects.push(...made.flatMap((each) => ("reject" in each ? [each.reject] : [])));
  const written = await write(deps, pull, { ...how, patched });
  const count = (done: string): number =>
    written.filter((each) => "done" in each && each.done === done).length;
  for (const [index, { patch, place }] of patched.entries()) {
    const answer = written[index];
    if (answer === undefined || !("rejected" in answer)) continue;
    const fault = { place, step: "write", code: "refused_by_source" } as const;
    const { rejected: reason } = answer;
    rejects.push(resultReject(of, { ...fault, reason, row: JSON.stringify(patch) }));
  }
  return {
    counts: {
      read: items.length + bad.length,
      written: count("written"),
      unchanged: count("unchanged"),
      missing: count("missing"),
    },
    rejects,
    // A posting has no id of its own.
    keys:
      of === "job_postings"
        ? patched.map(({ patch }) => JSON.stringify(Object.values(patch.key)))
        : items.map((item) => JSON.stringify(item["mk_id"])),
  };
}
