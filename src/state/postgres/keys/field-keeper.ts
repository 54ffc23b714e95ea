import { sql } from "kysely";
import { z } from "zod";

import type { Remote } from "../../../thread.ts";
import type { FingerprintStore } from "../../contract/keys/fingerprints.ts";
import { FieldChanges, isChange } from "../../rules/keys/field-changes.ts";
import { keysPerTransactionMax } from "../../rules/keys/steps.ts";
import { setIdOf } from "../../store/keys/fingerprint-sets.ts";
import type { Queries } from "../../store/state-database.ts";
import { bytesArray, integerArray } from "./binary-arrays.ts";
import { holdStaging } from "./set-lock.ts";
import type { StoreKeys } from "./store-keys.ts";

const hadRow = z.object({ id: z.int(), hashes: z.instanceof(Uint8Array).nullable() });

/** The field hashes kept for ids: those of the newest staging that sends the id, or else the known ones. */
async function fieldsOf(
  queries: Queries,
  setId: number,
  ids: readonly number[],
): Promise<ReadonlyMap<number, Uint8Array>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql`
    select one.id, coalesce(
        (select hashes from ${sql.table("stagedFields")} s where s.set_id = ${setId} and s.id = one.id
          order by send desc limit 1),
        (select hashes from ${sql.table("fieldHashes")} h where h.set_id = ${setId} and h.id = one.id)) as hashes
    from unnest(${integerArray(ids)}::integer[]) as one (id)`.execute(queries);
  const found = z.array(hadRow).parse(rows);
  return new Map(
    found.flatMap(({ id, hashes }) => (hashes === null ? [] : [[id, hashes] as const])),
  );
}

/** Ids and the hashes of their fields, `fieldBytes` for each. */
type Fields = {
  readonly ids: Int32Array;
  readonly fieldBytes: number;
  readonly hashes: Uint8Array;
};

/**
 * The index of the last row of each id, in the order of ids, so that two writers wait for each other in one direction.
 */
function lastOfEach(ids: Int32Array, isWanted: (id: number) => boolean): number[] {
  const last = new Map<number, number>();
  for (const [index, id] of ids.entries()) if (isWanted(id)) last.set(id, index);
  return [...last].toSorted(([a], [b]) => Math.abs(a) - Math.abs(b)).map(([, index]) => index);
}

/** Keeps fields. Those of a key of which the service may hold an older record wait for the commit. */
async function putFields(
  queries: Queries,
  { setId, send }: { readonly setId: number; readonly send: number },
  { ids, fieldBytes, hashes }: Fields,
): Promise<void> {
  const some = (order: readonly number[]) =>
    sql`unnest(${integerArray(order.map((index) => Math.abs(ids[index] ?? 0)))}::integer[],
      ${bytesArray("bytea", { bytes: hashes, size: fieldBytes }, order)}::bytea[]) as one (id, hashes)`;
  const [unknown, known] = [lastOfEach(ids, (id) => id < 0), lastOfEach(ids, (id) => id > 0)];
  if (unknown.length > 0) {
    await sql`
      insert into ${sql.table("fieldHashes")} (set_id, id, hashes)
      select cast(${setId} as integer), id, hashes from ${some(unknown)}
      on conflict (set_id, id) do update set hashes = excluded.hashes`.execute(queries);
  }
  if (known.length === 0) return;
  await sql`
    insert into ${sql.table("stagedFields")} (set_id, id, send, hashes)
    select cast(${setId} as integer), id, cast(${send} as bigint), hashes from ${some(known)}
    on conflict (set_id, id, send) do update set hashes = excluded.hashes`.execute(queries);
}

/** Makes `keepFields` of a store in Postgres. */
export function createFieldKeeping({
  database,
}: StoreKeys): Remote<FingerprintStore>["keepFields"] {
  return async (input) => {
    const { ids, fieldBytes, hashes } = input;
    const setId = await setIdOf(database.state.queries, input);
    const keepSome = async (start: number): Promise<Noticed> => {
      const some = ids.subarray(start, start + keysPerTransactionMax);
      const end = (start + some.length) * fieldBytes;
      const fields = { ids: some, fieldBytes, hashes: hashes.subarray(start * fieldBytes, end) };
      return await database.lockAndWrite(async (queries) => {
        const send = await holdStaging(queries, input);
        const had = await fieldsOf(queries, setId, [...new Set(some.filter((id) => id > 0))]);
        await putFields(queries, { setId, send }, fields);
        return { start, fields, had };
      });
    };
    const changes = new FieldChanges();
    for (let start = 0; start < ids.length; start += keysPerTransactionMax) {
      compare(changes, await keepSome(start), input.verdicts);
    }
    return changes.all();
  };
}

/** The fields of some records, and what they were before. */
type Noticed = {
  readonly start: number;
  readonly fields: Fields;
  readonly had: ReadonlyMap<number, Uint8Array>;
};

/** Notes which fields differ; called once the transaction that kept them can no longer be repeated. */
function compare(
  changes: FieldChanges,
  { start, fields: { ids, fieldBytes, hashes }, had }: Noticed,
  verdicts: Uint8Array,
): void {
  // Rows of one key may come together: then the fields of the earlier one were not kept yet.
  const together = new Map<number, Uint8Array>();
  for (const [at, id] of ids.entries()) {
    const now = hashes.subarray(at * fieldBytes, (at + 1) * fieldBytes);
    const before = id > 0 ? (together.get(id) ?? had.get(id)) : undefined;
    const index = start + at;
    if (before !== undefined) {
      changes.compare(before, now, { index, isChanged: isChange(verdicts[index]) });
    }
    together.set(Math.abs(id), now);
  }
}
