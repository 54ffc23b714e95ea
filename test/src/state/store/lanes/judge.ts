// Compares a store with what its lanes sent.
import type { Staging } from "../../../../../src/state/contract/sends/stagings.ts";
import type { KeyImplementation } from "../../keys/key-implementations.ts";
import type { StoreUnderTest } from "../../store-under-test.ts";
import { VersionedKeys } from "../versioned-keys.ts";
import { fieldName, fieldOf, type SentRecords, type SentStaging } from "./sent.ts";

/** The version of a run after all lanes, which no lane has. */
const lastVersion = 255;

/** Errors in a store's tables: ids that two keys share, and staged rows that remain. */
async function wrongRows(
  { rows, kind }: KeyImplementation,
  folder: string,
): Promise<readonly string[]> {
  const shared = await rows(
    folder,
    "select id from fingerprints group by set_id, id having count(*) > 1",
  );
  const tables = ["staged_keys", "staged_fields", ...(kind === "postgres" ? ["staged_sends"] : [])];
  const left: string[] = [];
  for (const table of tables) {
    const { length } = await rows(folder, `select send from ${table}`);
    if (length > 0) left.push(`${length} rows of ${table} are left`);
  }
  return [...shared.map(({ id }) => `two keys have the id ${String(id)}`), ...left];
}

/** Checks the counts of a committed staging against its records. */
function balanceOf({ accepted, refused }: SentStaging, { read, records, splitRejected }: Staging) {
  return [
    [`read ${read}`, read === accepted.size + refused],
    [`staged ${records}`, records === accepted.size + refused],
    [`refused ${splitRejected}`, splitRejected === refused],
  ] as const;
}

/** Counts that differ from what was accepted and refused. */
async function wrongCounts(
  { store }: StoreUnderTest,
  sent: SentRecords,
  runId: string,
): Promise<readonly string[]> {
  const wrong: string[] = [];
  const counted = sent.ofRun.filter(({ state }) => state === "committed" || state === "cut");
  for (const one of counted) {
    const found = await store.staging(one.ref);
    for (const [what, isRight] of found === undefined ? [] : balanceOf(one, found)) {
      if (!isRight) {
        const { chunk, stage } = one.ref;
        wrong.push(`chunk ${chunk} stage ${stage} (${one.state}) says ${what}`);
      }
    }
  }
  const sum = (of: (one: SentStaging) => number): number =>
    counted.reduce((all, one) => all + of(one), 0);
  const tally = await store.tally({ runId, staged: false });
  const must = { sent: sum(({ accepted }) => accepted.size), refused: sum((one) => one.refused) };
  if (tally.sent !== must.sent) wrong.push(`sent ${tally.sent} of ${must.sent}`);
  if (tally.rejected !== must.refused) wrong.push(`rejected ${tally.rejected} of ${must.refused}`);
  if (tally.read !== must.sent + must.refused) wrong.push(`read ${tally.read} in all`);
  return wrong;
}

/** Keys that the next run cannot make known. */
async function wrongAfter(main: StoreUnderTest, keys: readonly string[]): Promise<string[]> {
  const kept = new VersionedKeys(main);
  await kept.run({ runId: "after", version: lastVersion, of: keys, field: fieldOf(lastVersion) });
  const known = await kept.known(...keys);
  return known.flatMap((one, index) => {
    const isKnown = one.state === "accepted" && one.hash.every((byte) => byte === lastVersion);
    const field = isKnown ? one.fields?.find((of) => of.name === fieldName)?.hash : undefined;
    return field === fieldOf(lastVersion) ? [] : [`${keys[index]} is ${one.state} after all`];
  });
}

/** Everything that is wrong with a store once its lanes have ended, in words. */
export async function wrongWith(
  one: KeyImplementation,
  main: StoreUnderTest,
  { sent, runId }: { readonly sent: SentRecords; readonly runId: string },
): Promise<readonly string[]> {
  const { keys } = sent;
  const known = await new VersionedKeys(main).known(...keys);
  const wrong = known.flatMap((found, index) => sent.wrong(keys[index] ?? "", found));
  return [
    ...sent.seen,
    ...wrong,
    ...(await wrongRows(one, main.folder)),
    ...(await wrongCounts(main, sent, runId)),
    ...(await wrongAfter(main, keys)),
  ];
}
