import { type Selectable, sql } from "kysely";
import { z } from "zod";

import type { Moment } from "../../../clock.ts";
import { BusyError } from "../../../errors.ts";
import { rejectText } from "../../../records/reject-codes.ts";
import { minutesText } from "../../../text/quantities.ts";
import type { Remote } from "../../../thread.ts";
import type { Erased, ForgettingStore } from "../../contract/keys/forgetting.ts";
import type { SyncName } from "../../contract/runs/checkpoints.ts";
import { mentions, positionMentions, textMentions } from "../../rules/keys/mentions.ts";
import { isOver, leftMs } from "../doubts/request-window.ts";
import { requestsOfSet } from "../doubts/requests.ts";
import { reads } from "../methods.ts";
import { recountOpen } from "../rejects/insert-rejects.ts";
import { forgottenKey, type SentKeys } from "../sends/sent-keys.ts";
import type { Queries, StateDatabase } from "../state-database.ts";
import type { Tables } from "../tables.ts";
import { setIdOf } from "./fingerprint-sets.ts";
import type { KeyKeeping } from "./key-keeping.ts";
import { assertNoOpenRun } from "./open-run.ts";
import { forgetBrought, type KeyIds } from "./vanished.ts";

const sampleList = z.array(z.string());

const askedRequest = z.looseObject({
  keys: z.array(z.string()).optional(),
  note: z.string().optional(),
});

const keptPage = z.looseObject({ items: z.array(z.unknown()).default([]) });

type KeyOfSync = SyncName & { readonly key: string };

/**
 * @throws {BusyError} a request with the key may still be applied: without the key, nothing could correct what it
 * writes over a newer record, or after the person was erased at the service.
 */
async function assertNoneMayLand(
  queries: Queries,
  sentKeys: SentKeys,
  { of, now }: { readonly of: KeyOfSync; readonly now: Moment },
): Promise<void> {
  for (const request of await requestsOfSet(queries, await setIdOf(queries, of))) {
    if (isOver(request, now)) continue;
    const sent = await sentKeys.of(queries, request.send, request.ranges);
    if (!sent.some(([key]) => key === of.key)) continue;
    const forMs = request.isOpen ? "" : `, for ${minutesText(leftMs(request, now))}`;
    throw new BusyError(
      `a request of run ${request.runId} with this key may still be applied${forMs}`,
      { hint: "nothing was erased: run the same command again when that is over" },
    );
  }
}

function runsOf({ target, sync }: SyncName): ReturnType<typeof sql> {
  return sql`(select run_id from ${sql.table("runs")} where target = ${target} and sync = ${sync})`;
}

/** Whether a reject is of a key, or mentions it. Numbers of lines, events and results may equal a key by chance. */
function isRejectOf(
  reject: Pick<Selectable<Tables["rejects"]>, "key" | "place" | "sourceRow"> &
    Pick<Selectable<Tables["runs"]>, "kind" | "placesAreLines">,
  key: string,
): boolean {
  const { key: own, place, sourceRow, kind, placesAreLines } = reject;
  if (own === key || textMentions(sourceRow ?? "", key)) return true;
  if (kind === "pull") return place === key;
  return placesAreLines !== 1 && textMentions(place, key);
}

/**
 * Rejects of pulls have no key; their results mention it. Each stays as a number, of which its run's report gives the
 * sum.
 */
async function eraseRejects(queries: Queries, of: KeyOfSync): Promise<number> {
  const { target, key } = of;
  const asked = queries
    .selectFrom("rejects as r")
    .innerJoin("runs as u", "u.runId", "r.runId")
    .select(["r.runId", "r.chunk", "r.ordinal", "r.key", "r.place", "r.sourceRow", "r.code"])
    .select(["u.kind", "u.placesAreLines"])
    .where("u.target", "=", target)
    .where("r.place", "<>", forgottenKey)
    .where((eb) =>
      eb.or([
        eb("u.kind", "=", "pull"),
        eb.and([
          eb("u.sync", "=", of.sync),
          eb.or([eb("r.key", "is", null), eb("r.key", "=", key)]),
        ]),
      ]),
    );
  let erased = 0;
  const runIds = new Set<string>();
  for (const reject of await asked.execute()) {
    const { runId, chunk, ordinal, code } = reject;
    if (!isRejectOf(reject, key)) continue;
    const named = { runId, chunk, ordinal };
    await queries
      .deleteFrom("replays")
      .where("rejectRun", "=", named.runId)
      .where("chunk", "=", named.chunk)
      .where("ordinal", "=", named.ordinal)
      .execute();
    const emptied = { key: null, field: null, sourceRow: null, place: forgottenKey, isOpen: 0 };
    await queries
      .updateTable("rejects")
      .set({ ...emptied, reason: rejectText(code) })
      .where("runId", "=", named.runId)
      .where("chunk", "=", named.chunk)
      .where("ordinal", "=", named.ordinal)
      .execute();
    runIds.add(runId);
    erased += 1;
  }
  for (const runId of runIds) await recountOpen(queries, runId);
  return erased;
}

async function eraseNotes(queries: Queries, of: KeyOfSync): Promise<number> {
  const setId = await setIdOf(queries, of);
  let erased = 0;
  for (const table of ["refusals", "doubts", "strayKeys"] as const) {
    const { numDeletedRows } = await queries
      .deleteFrom(table)
      .where("setId", "=", setId)
      .where("key", "=", of.key)
      .executeTakeFirst();
    erased += Number(numDeletedRows);
  }
  return erased;
}

function without(text: string, key: string): string {
  return text === key ? forgottenKey : text;
}

/** Erases a key from the lists of requests that may still be applied, and of backfills of some keys. */
async function eraseFromLists(
  queries: Queries,
  sentKeys: SentKeys,
  of: KeyOfSync,
): Promise<number> {
  const { key } = of;
  const lists = await queries
    .selectFrom("sentKeys as k")
    .innerJoin("stagings as s", "s.send", "k.send")
    .select(["k.send", "k.keys"])
    .where(sql<boolean>`s.run_id in ${runsOf(of)}`)
    .execute();
  let erased = 0;
  for (const { send, keys } of lists) {
    if (!mentions(JSON.parse(keys), key)) continue;
    await sentKeys.replace(queries, { send, key, by: forgottenKey });
    erased += 1;
  }
  const asked = await queries
    .selectFrom("runs")
    .select(["runId", "request"])
    .where("target", "=", of.target)
    .where("sync", "=", of.sync)
    .execute();
  for (const { runId, request } of asked) {
    // Its other members, such as the mode, may equal a key by chance.
    const { keys, note, ...others } = askedRequest.parse(JSON.parse(request));
    if (!mentions([keys, note], key)) continue;
    const named = {
      keys: keys?.map((each) => without(each, key)),
      note: note && without(note, key),
    };
    await queries
      .updateTable("runs")
      .set({ request: JSON.stringify({ ...others, ...named }) })
      .where("runId", "=", runId)
      .execute();
    erased += 1;
  }
  return erased;
}

async function eraseSamples(queries: Queries, of: KeyOfSync): Promise<number> {
  const plans = await queries
    .selectFrom("plans")
    .select(["runId", "samples"])
    .where(sql<boolean>`run_id in ${runsOf(of)}`)
    .execute();
  let erased = 0;
  for (const { runId, samples } of plans) {
    const all = sampleList.parse(JSON.parse(samples));
    const kept = all.filter((sample) => !textMentions(sample, of.key));
    if (kept.length === all.length) continue;
    erased += all.length - kept.length;
    await queries
      .updateTable("plans")
      .set({ samples: JSON.stringify(kept) })
      .where("runId", "=", runId)
      .execute();
  }
  return erased;
}

/** Erases results from the pages of every pull of the target: nobody knows which of them brings the person. */
async function erasePages(queries: Queries, { target, key }: KeyOfSync): Promise<number> {
  const pages = await queries
    .selectFrom("pullPages")
    .select(["pull", "page"])
    .where("target", "=", target)
    .execute();
  let erased = 0;
  for (const { pull, page } of pages) {
    const kept = keptPage.parse(JSON.parse(page));
    const items = kept.items.filter((item) => !mentions(item, key));
    const gone = kept.items.length - items.length;
    if (gone === 0) continue;
    erased += gone;
    await queries
      .updateTable("pullPages")
      .set({ page: JSON.stringify({ ...kept, items }) })
      .where("target", "=", target)
      .where("pull", "=", pull)
      .execute();
  }
  return erased;
}

/**
 * Erases positions of ended runs, which in a table include the key of a row; null is the beginning, or the end. Those
 * in files and in the inbox say by numbers how far a run came, and replays need them. Nothing reads those of runs that
 * were pruned, whose sync nobody knows any more, or of checkpoints that a person set.
 */
async function erasePositions(queries: Queries, of: KeyOfSync): Promise<number> {
  const runs = sql.table("runs");
  const isOfRuns = sql`run_id in ${runsOf(of)} and run_id not in (
    select run_id from ${runs} where places_are_lines = 1)`;
  const isOfStagings = sql`(${isOfRuns} or run_id not in (select run_id from ${runs}))`;
  const isOfSync = sql`target = ${of.target} and sync = ${of.sync}`;
  const tables = [
    ["stagings", ["from_position", "to_position"], isOfStagings],
    ["runs", ["from_position", "to_position", "oldest_open"], isOfRuns],
    ["lanes", ["from_position", "to_position"], isOfRuns],
    ["checkpoint_audit", ["position"], isOfSync],
  ] as const;
  let erased = 0;
  for (const [table, columns, isMeant] of tables) {
    for (const column of columns) {
      const { rows } = await sql<{ readonly position: string }>`
        select distinct ${sql.ref(column)} as position from ${sql.table(table)}
        where ${sql.ref(column)} is not null and ${isMeant}`.execute(queries);
      for (const { position } of rows) {
        if (!positionMentions(JSON.parse(position), of.key)) continue;
        // A run without a place to begin at has read the whole source: older rejects would be closed.
        const isBeginning = table === "runs" && column === "from_position";
        const by = isBeginning ? JSON.stringify(forgottenKey) : null;
        const { numAffectedRows } = await sql`
          update ${sql.table(table)} set ${sql.ref(column)} = ${by}
          where ${sql.ref(column)} = ${position} and ${isMeant}`.execute(queries);
        erased += Number(numAffectedRows ?? 0);
      }
    }
  }
  return erased;
}

async function targets(queries: Queries): Promise<string[]> {
  const found = await queries
    .selectFrom("runs")
    .select("target")
    .union(queries.selectFrom("fingerprintSets").select("target"))
    .union(queries.selectFrom("pullPages").select("target"))
    .union(queries.selectFrom("checkpoints").select("target"))
    .union(queries.selectFrom("checkpointAudit").select("target"))
    .execute();
  return found.map(({ target }) => target).toSorted((one, other) => one.localeCompare(other));
}

/** How a store forgets and erases keys, in either database. */
export function createForgettingStore(
  db: StateDatabase,
  {
    keys: keeping,
    ids,
    sentKeys,
  }: { readonly keys: KeyKeeping; readonly ids: KeyIds; readonly sentKeys: SentKeys },
): Remote<ForgettingStore> {
  const erase = async (
    queries: Queries,
    name: SyncName,
    keys: readonly string[],
  ): Promise<number> => {
    const setId = await setIdOf(queries, name);
    await forgetBrought(queries, ids, { setId, keys });
    return await keeping.erase(queries, setId, keys);
  };
  return {
    forgetKeys: async ({ keys, ...name }) => {
      await keeping.settle();
      await db.write(async (queries) => {
        await assertNoOpenRun(queries, name);
        await erase(queries, name, keys);
      });
    },
    eraseKey: async ({ now: callers, ...of }): Promise<Erased> => {
      // After this, abandoned stagings have their keys among the fingerprints, or nowhere.
      await keeping.settle();
      return await db.write(async (queries) => {
        await assertNoOpenRun(queries, of);
        const now = await db.now(queries, callers);
        await assertNoneMayLand(queries, sentKeys, { of, now });
        return {
          fingerprints: await erase(queries, of, [of.key]),
          rejects: await eraseRejects(queries, of),
          notes: await eraseNotes(queries, of),
          keyLists: await eraseFromLists(queries, sentKeys, of),
          samples: await eraseSamples(queries, of),
          results: await erasePages(queries, of),
          positions: await erasePositions(queries, of),
        };
      });
    },
    targets: reads(db, targets),
    shred: async () => await db.shred(),
  };
}
