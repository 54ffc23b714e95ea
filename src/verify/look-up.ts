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
 * What the search says of a record. `recent`: it was accepted so lately that what is missing or differs may still be
 * on its way, or a run sends it beside the look. `incomparable`: it cannot be looked up, because what it is found by
 * has changed since it was sent.
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
  /** Undefined where there is not one result. */
  readonly compared?: Compared | undefined;
  /** Why there is no answer. */
  readonly why?: string | undefined;
};

/** What became of a look. */
export type LookedUp = {
  /** In the order in which they were asked for. */
  readonly records: readonly VerifiedRecord[];
  /** Requests that left. */
  readonly calls: number;
  /** Records that were not asked for, because the calls were used up or the look stopped. */
  readonly left: number;
  /** What stopped it early. */
  readonly stopped?: SluiceError | undefined;
};

/** What a look works with. */
export type LookUpTools = Pick<ChoosingTools, "knownOf"> & {
  readonly api: Pick<ApiClient, "search">;
  readonly stream: Stream;
  readonly search: SearchedAs;
  /** Requests that may leave; the look ends before it makes one more. */
  readonly callsMax: number;
  /** Unix ms. */
  readonly now: () => number;
  readonly signal: AbortSignal;
  /** Called after each record. */
  readonly progress?: ((done: number) => void) | undefined;
};

const recordSchema = z.record(z.string(), z.unknown());

/** Waits as long as it is told to, where that is short. @throws {RateLimitedError} it is not. */
async function waitFor(error: unknown, signal: AbortSignal): Promise<void> {
  if (!(error instanceof RateLimitedError) || error.isOutage) throw error;
  if (error.retryAfterMs > permitWaitMsMax) throw error;
  await setTimeout(error.retryAfterMs, undefined, { signal });
}

/** Asks for a record; undefined when no call is left for it. */
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

/** What the answer says; results that were not asked for say nothing. */
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

/** Whether a run has sent the record since it was chosen, or is about to: what the search shows may be that. */
async function isOvertaken({ key, send }: HeldRecord, { knownOf }: LookUpTools): Promise<boolean> {
  const [known] = await knownOf([key]);
  return known?.state !== "accepted" || known.send !== send;
}

/** The verdict, but of nothing that a run has sent meanwhile that the service lacks or changed it. */
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
 * Looks records up with the service's search, one call each, and compares what it shows with what is known to be
 * held. Nothing is asked for twice: a call costs, also one without an answer.
 * @throws what is no fault of the service or the network.
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
      if (signal.aborted) break;
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
  return { records: verified, calls: tally.requests, left, stopped };
}

/** How many of the records cost a call. */
export function callsFor(records: readonly HeldRecord[], { property }: SearchedAs): number {
  return records.filter(({ changed }) => changed?.has(property) === false).length;
}
