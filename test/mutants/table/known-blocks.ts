import { planting, type Mutant } from "../mutant.ts";

const blocks = "src/state/sqlite/keys/known-blocks.ts";
const migration = "src/state/sqlite/migrations/migration-known-blocks.ts";
const merging = "src/state/sqlite/keys/staged/merge-keys.ts";
const plant = planting({
  file: "test/src/state/sqlite/known-blocks.test.ts",
  title: "looks up no key of a block",
});
const forget =
  "  delete from known_blocks where set_id = old.set_id and block = (old.id - 1) / 64;\n";
const count =
  "  insert into changed_sets (set_id, changes) values (old.set_id, 1)\n" +
  "    on conflict do update set changes = changes + 1;\n";
const updated = "create trigger fingerprint_updated after update on fingerprints begin\n";
const deleted = "create trigger fingerprint_deleted after delete on fingerprints begin\n";

/** Mutants of the digests by which a SQLite store knows blocks of keys as a whole. */
export const mutantsOfKnownBlocks: readonly Mutant[] = [
  plant({
    id: "S2100",
    plants: "a block stays known although a record of it has changed",
    file: migration,
    find: updated + forget,
    replace: updated,
    title: "of which a fingerprint was changed",
  }),
  plant({
    id: "S2101",
    plants: "a block stays known although a key of it was erased",
    file: migration,
    find: deleted + forget,
    replace: deleted,
    title: "of which a fingerprint was removed",
  }),
  plant({
    id: "S2102",
    plants: "what changes while a staging is taken in is not seen by the blocks of its keys",
    file: migration,
    find: updated + forget + count,
    replace: updated + forget,
    title: "keys that are written twice",
  }),
  plant({
    id: "S2103",
    plants: "a key that a staging sent twice is known by its block",
    file: merging,
    find: "times.every((often) => often === sent.once)",
    replace: "times.length > 0",
    title: "one staging sent twice",
  }),
  plant({
    id: "S2104",
    plants: "a block is known whatever its records are now",
    file: blocks,
    find: "if (!digestOf(keys, keys.order[place] ?? 0).equals(digest)) break;",
    replace: "",
    title: "whose record has changed, and no other",
  }),
  plant({
    id: "S2105",
    plants: "a digest leaves out the hashes of the records",
    file: blocks,
    find: "    whole.set(hashes.subarray(from * hashBytes, to * hashBytes), ofKeys);\n",
    replace: "",
    title: "whose record has changed, and no other",
  }),
  plant({
    id: "S2106",
    plants: "all keys of a block are said to be of the send of its first",
    file: blocks,
    find: "if (runs.at(-2) === send) runs.push",
    replace: "if (runs.length > 0) runs.push",
    title: "with the sends of each key",
  }),
  plant({
    id: "S2107",
    plants: "no block is known before a night has looked up each of its keys",
    file: merging,
    find: "if (step === length - 1 && isEachOnce && areNew)",
    replace: "if (step === length && isEachOnce && areNew)",
  }),
  plant({
    id: "S2108",
    plants: "after a key that leads to no block, those after it are looked up one by one",
    file: blocks,
    find: "      place = after + passed;",
    replace: "      place = id === 0 ? order.length : after + passed;",
    title: "keys that are new, gone, changed or in another order",
  }),
  plant({
    id: "S2109",
    plants: "a key is found in a block under the id of its neighbour",
    file: blocks,
    find: "ids[place + on] = block.id + on;",
    replace: "ids[place + on] = block.id + Math.max(0, on - 1);",
    title: "as seen in its run",
  }),
];
