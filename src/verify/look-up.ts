import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";

import { z } from "zod";

import type { ApiClient } from "../api/client.ts";
import type { SearchPage } from "../api/search.ts";
import { ApiAuthError, CreditsExhaustedError, RateLimitedError, SluiceError } from "../errors.ts";
import type { Stream, StreamRecord } from "../records/streams.ts";
import { requestingAs, type RequestTally } from "../service/requester.ts";
import type { ChoosingTools, HeldRecord } from "./choose.ts";
import { compareRecord, type Compared, type SearchedAs } from "./compare.ts";
import { lookFaultsMax, permitWaitMsMax, processingMsMax, resultsAsked } from "./limits.ts";

/**
 * The outcome of looking up a record. `recent`: it was accepted so recently that a missing record or a difference may
 * still be on its way, or a run sends it during the lookup. `incomparable`: it cannot be looked up, because the field
 * by which it is found has changed since it was sent.
 */
export type RecordVerdict =
  | "same"
  | "differs"
  | "missing"
  | "recent"
  | "ambiguous"
  | "incomparable"
  | "unanswered";

/** A record that was looked up. */
export type VerifiedRecord = {
  readonly record: HeldRecord;
  readonly verdict: RecordVerdict;
  /** Undefined unless there is exactly one result. */
  readonly compared?: Compared | undefined;
  /** Why there is no answer. */
  readonly why?: string | undefined;
};

/** The outcome of a lookup. */
export type LookedUp = {
  /** In the order in which they were looked up. */
  readonly records: readonly VerifiedRecord[];
  /** Requests that were sent. */
  readonly calls: number;
  /** Records that were not looked up, because the calls were used up or the lookup stopped. */
  readonly left: number;
  /** The error that stopped it early. */
  readonly stopped?: SluiceError | undefined;
  readonly isInterrupted: boolean;
};

/** What a lookup needs. */
export type LookUpTools = Pick<ChoosingTools, "knownOf"> & {
  readonly api: Pick<ApiClient, "search">;
  readonly stream: Stream;
  readonly search: SearchedAs;
  /** The most requests; the lookup ends before it makes one more. */
  readonly callsMax: number;
  /** Unix ms. */
  readonly now: () => number;
  readonly signal: AbortSignal;
  /** Called after each record. */
  readonly progress?: ((done: number) => void) | undefined;
};

const recordSchema = z.record(z.string(), z.unknown());

/** Waits as long as the service asks, if that is short. @throws {RateLimitedError} it is not. */
async function waitFor(error: unknown, signal: AbortSignal): Promise<void> {
  if (!(error instanceof RateLimitedError) || error.isOutage) throw error;
  if (error.retryAfterMs > permitWaitMsMax) throw error;
  await setTimeout(error.retryAfterMs, undefined, { signal });
}

/** Looks up a record; undefined if no call is left for it. */
async function ask(
  tools: LookUpTools,
  value: string,
  tally: RequestTally,
): Promise<SearchPage | undefined> {
  const { api, search, signal, callsMax } = tools;
  const filters = [{ property: search.property, operator: "IS", value }];
  const query = { limit: resultsAsked, filters };
  const token = `verify-${randomUUID()}`;
  while (tally.requests < callsMax) {
    try {
      return await requestingAs({ token, kind: "pull", tally }, async () => {
        return await api.search({ of: search.of, query, cursor: undefined, signal });
      });
    } catch (error) {
      await waitFor(error, signal);
    }
  }
  return undefined;
}

/** Judges a record by the answer; ignores results that do not match the request. */
function judge(
  record: HeldRecord,
  held: StreamRecord,
  at: { readonly page: SearchPage; readonly tools: LookUpTools },
): VerifiedRecord {
  const { page, tools } = at;
  const { search, stream, now } = tools;
  const wanted = String(held[search.property]).toLowerCase();
  const found = page.items.filter((item) => {
    const value = item[search.property];
    return typeof value === "string" && value.toLowerCase() === wanted;
  });
  const isRecent = now() - record.acceptedAt < processingMsMax;
  if (page.bad[0] !== undefined) {
    return {
      record,
      verdict: "unanswered",
      why: `a result of a wrong form: ${page.bad[0].reason}`,
    };
  }
  const [result, another] = found;
  if (result === undefined) return { record, verdict: isRecent ? "recent" : "missing" };
  if (another !== undefined) return { record, verdict: "ambiguous" };
  const { changed = new Set() } = record;
  const compared = compareRecord(held, result, { stream, search, changed });
  if (compared.differing.length === 0) return { record, verdict: "same", compared };
  return { record, verdict: isRecent ? "recent" : "differs", compared };
}

/** Whether a run has sent the record since it was chosen, or is about to: the search may show that version. */
async function isOvertaken({ key, send }: HeldRecord, { knownOf }: LookUpTools): Promise<boolean> {
  const [known] = await knownOf([key]);
  return known?.state !== "accepted" || known.send !== send;
}

/** The verdict, but never `missing` or `differs` for a record that a run has sent meanwhile. */
async function settled(verified: VerifiedRecord, tools: LookUpTools): Promise<VerifiedRecord> {
  const { record, verdict } = verified;
  const isWrong = verdict === "missing" || verdict === "differs";
  if (!isWrong || !(await isOvertaken(record, tools))) return verified;
  return { record, verdict: "recent", why: "a run has sent it since the look began, or sends it" };
}

/** Whether no other record would be answered either. */
function stops(error: unknown, faults: number): boolean {
  if (error instanceof ApiAuthError || error instanceof CreditsExhaustedError) return true;
  return error instanceof RateLimitedError || faults >= lookFaultsMax;
}

/**
 * Looks records up with the service's search, one call each, and compares the results with the records known to be
 * held. Asks for nothing twice: every call costs, even one without an answer.
 * @throws errors that are not faults of the service or the network.
 */
export async function lookUpRecords(
  records: readonly HeldRecord[],
  tools: LookUpTools,
): Promise<LookedUp> {
  const { search, signal, progress } = tools;
  const tally = { requests: 0, waitedMs: 0 };
  const verified: VerifiedRecord[] = [];
  let stopped: SluiceError | undefined;
  let faults = 0;
  let isInterrupted = false;
  for (const record of records) {
    const held = recordSchema.parse(JSON.parse(record.line.toString()));
    if (record.changed?.has(search.property) !== false) {
      verified.push({ record, verdict: "incomparable" });
      continue;
    }
    try {
      const page = await ask(tools, String(held[search.property]), tally);
      if (page === undefined) break;
      verified.push(await settled(judge(record, held, { page, tools }), tools));
      faults = 0;
    } catch (error) {
      isInterrupted = signal.aborted;
      if (isInterrupted) break;
      if (!(error instanceof SluiceError)) throw error;
      faults += 1;
      verified.push({ record, verdict: "unanswered", why: error.message });
      if (stops(error, faults)) {
        stopped = error;
        break;
      }
    }
    progress?.(verified.length);
  }
  const left = records.length - verified.length;
  return { records: verified, calls: tally.requests, left, stopped, isInterrupted };
}

/** How many of the records need a call. */
export function callsFor(records: readonly HeldRecord[], { property }: SearchedAs): number {
  return records.filter(({ changed }) => changed?.has(property) === false).length;
}
