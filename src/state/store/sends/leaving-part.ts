import { sql } from "kysely";

import type { NewRequest, Sender } from "../../contract/doubts/requests.ts";
import type { StageName } from "../../contract/sends/stagings.ts";
import type { Ranges } from "../../ranges.ts";
import { landingWith, leaveInDoubt, type LeavingPart } from "../doubts/doubts.ts";
import { beginRequest } from "../doubts/requests.ts";
import { haveSetOfRun } from "../keys/fingerprint-sets.ts";
import type { Queries } from "../state-database.ts";
import { isPart } from "./named.ts";
import type { SentKeys } from "./sent-keys.ts";

// Notes parts that leave. Every function is called inside a transaction.

/** A part that is about to leave, and what it holds. */
type NotedPart = StageName & {
  readonly part: number;
  readonly send: number;
  readonly ranges: Ranges;
};

/** A part that leaves, and where its keys are read. */
type Leaving = { readonly sentKeys: SentKeys; readonly noted: NotedPart };

/** The part and the parts that it was split from. */
async function familyOf(
  queries: Queries,
  { runId, chunk, stage, part }: NotedPart,
): Promise<readonly number[]> {
  const { rows } = await sql<{ readonly part: number }>`
    with recursive up (part) as (
      select cast(${part} as bigint) union
      select parent from up join ${sql.table("receipts")} r on r.part = up.part
      where run_id = ${runId} and chunk = ${chunk} and stage = ${stage} and parent is not null)
    select part from up`.execute(queries);
  return rows.map((row) => row.part);
}

async function leavingOf(queries: Queries, noted: NotedPart, stream: string): Promise<LeavingPart> {
  const { runId, part, send, ranges } = noted;
  const setId = await haveSetOfRun(queries, runId);
  const ancestors = await familyOf(queries, noted);
  return { setId, stream, runId, part, send, ranges, ancestors };
}

/** Notes what a part puts in doubt when it leaves; returns the requests that cause the doubt. */
export async function noteDoubts(
  queries: Queries,
  { sentKeys, noted, now, stream }: Leaving & Pick<Sender, "now" | "stream">,
): Promise<number[]> {
  const part = await leavingOf(queries, noted, stream);
  const { before } = await landingWith(queries, part, now);
  await leaveInDoubt(queries, sentKeys, { part, before });
  return before.map(({ request }) => request);
}

/**
 * Notes the request of a part that leaves now, and what it puts in doubt, unless `noteDoubts` has just done so, because
 * that may write much. Returns the request's number.
 */
export async function beginNoted(
  queries: Queries,
  { sentKeys, noted, attempt }: Leaving & { readonly attempt: number },
  { now, stream, noted: known, ...sender }: NewRequest,
): Promise<number> {
  const part = await leavingOf(queries, noted, stream);
  const landing = await landingWith(queries, part, now);
  // A request that was thought to be over may have been answered since.
  const isNoted = landing.before.every(({ request }) => known?.includes(request) === true);
  if (known === undefined || !isNoted) {
    await leaveInDoubt(queries, sentKeys, { part, before: landing.before });
  }
  const { part: number, send } = noted;
  await queries
    .updateTable("receipts")
    .set({ landing: JSON.stringify(landing.all) })
    .where(isPart(noted))
    .execute();
  const { setId } = part;
  return await beginRequest(queries, {
    setId,
    stream,
    send,
    part: number,
    attempt,
    now,
    ...sender,
  });
}
