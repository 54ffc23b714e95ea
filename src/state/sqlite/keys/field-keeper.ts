import type { FingerprintStore } from "../../contract/keys/fingerprints.ts";
import { FieldChanges, isChange } from "../../rules/keys/field-changes.ts";
import { keysPerTransactionMax } from "../../rules/keys/steps.ts";
import { superseded } from "../../store/sends/named.ts";
import type { Database } from "../database.ts";
import { count } from "../database.ts";
import { isStagingIn } from "../open-stagings.ts";
import { createFingerprintSets } from "./fingerprint-sets.ts";

/** The ids of one set: the fields of the next set begin after them. */
export const idsPerSet = 2 ** 32;

/** The number in `field_hashes` of a fingerprint `f`. */
export const fieldsIdSql = `f.set_id * ${idsPerSet} + f.id`;

/**
 * Keeps the hashes of records' fields under the ids of their fingerprints, and notes which fields differ. They are in a
 * table of their own, to which a first load only appends: next to the keys they doubled the pages that it writes in
 * random order, and the CPU that they cost. Those of a key of which the service may hold an older record wait for the
 * commit (`merge-keys.ts`); nobody asks for any other before that.
 */
export function createFieldKeeper(db: Database): FingerprintStore["keepFields"] {
  const sets = createFingerprintSets(db);
  const isStaging = isStagingIn(db);
  const sendOf = db.prepare(
    "select send from stagings where run_id = $runId and chunk = $chunk and stage = $stage",
  );
  const staged = db.prepare(
    "select hashes from staged_fields where id = ? order by send desc limit 1",
  );
  const select = db.prepare("select hashes from field_hashes where id = ?");
  // Records without any field have no bytes, and of those `substr` makes null.
  const ofRecord = "ifnull(substr($hashes, key * $fieldBytes + 1, $fieldBytes), x'')";
  const put = db.prepare(
    `insert or replace into field_hashes (id, hashes)
     select $before - value, ${ofRecord} from json_each($ids) where value < 0`,
  );
  const putStaged = db.prepare(
    `insert or replace into staged_fields (id, send, hashes)
     select $before + value, $send, ${ofRecord} from json_each($ids) where value > 0`,
  );
  const hadOf = (id: number): unknown => (staged.get(id) ?? select.get(id))?.["hashes"];
  return (input) => {
    const { ids, verdicts, fieldBytes, hashes } = input;
    const changes = new FieldChanges();
    const compareOne = (had: unknown, index: number, now: Uint8Array): void => {
      if (!(had instanceof Uint8Array)) return;
      changes.compare(had, now, { index, isChanged: isChange(verdicts[index]) });
    };
    const keepSome = (start: number): void => {
      if (!isStaging(input)) throw superseded(input);
      const before = sets.idOf(input) * idsPerSet;
      const some = ids.subarray(start, start + keysPerTransactionMax);
      const blocks = hashes.subarray(start * fieldBytes, (start + some.length) * fieldBytes);
      // Rows of one key may come together: then the fields of the earlier one are not kept yet.
      const together = new Map<number, Uint8Array>();
      const isAnyKnown = some.some((id) => id > 0);
      for (const [at, id] of isAnyKnown ? some.entries() : []) {
        const now = blocks.subarray(at * fieldBytes, (at + 1) * fieldBytes);
        if (id > 0) compareOne(together.get(id) ?? hadOf(before + id), start + at, now);
        together.set(Math.abs(id), now);
      }
      const kept = { before, fieldBytes, hashes: blocks, ids: `[${some.join(",")}]` };
      put.run(kept);
      putStaged.run({ ...kept, send: count(sendOf, input) });
    };
    for (let start = 0; start < ids.length; start += keysPerTransactionMax) {
      // As for the keys: the store is synced before anything leaves.
      db.writeUnsynced(() => keepSome(start));
    }
    return changes.all();
  };
}
