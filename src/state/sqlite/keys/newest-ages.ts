import { tagBytes } from "../../rules/keys/key-hashes.ts";
import type { NewestAges } from "../../store/keys/newest-ages.ts";
import { textBlockOf } from "../../text-block.ts";
import type { Database } from "../database.ts";
import { count } from "../database.ts";
import type { KeyTools } from "./stage-keys.ts";

/** How new keys are in a SQLite store. */
export function createNewestAges(
  db: Database,
  { sightings, hashesOf }: Pick<KeyTools, "sightings" | "hashesOf">,
): NewestAges {
  const id = db.prepare(
    "select id from fingerprints where set_id = $setId and number = $number and tag = $tag",
  );
  return {
    asking: async (work) =>
      await sightings.askingInSteps(
        async () =>
          await work(async (setId, keys) => {
            const { numbers, tags } = hashesOf(setId, textBlockOf(keys));
            return keys.map((_, index) => {
              const tag = tags.subarray(index * tagBytes, (index + 1) * tagBytes);
              const found = count(id, { setId, number: numbers[index] ?? 0n, tag });
              return found === 0 ? 0 : sightings.newestOf(setId, found);
            });
          }),
      ),
  };
}
