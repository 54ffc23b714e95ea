import { z } from "zod";

import { tagBytes } from "../../rules/keys/key-hashes.ts";
import type { NewestAges } from "../../store/keys/newest-ages.ts";
import { textBlockOf } from "../../text-block.ts";
import type { Database } from "../database.ts";
import type { KeyTools } from "./stage-keys.ts";

const oneList = z.tuple([z.string()]);
// Not checked one by one: the list is the store's own, with an entry for each key.
const idsOf = z.custom<readonly number[]>(Array.isArray);

/** The ages of keys in a SQLite store. */
export function createNewestAges(
  db: Database,
  { sightings, hashesOf }: Pick<KeyTools, "sightings" | "hashesOf">,
): NewestAges {
  // One list, because a row for each key took most of the time.
  const select = db.prepare(
    `select json_group_array(coalesce(f.id, 0)) from json_each($numbers) k
     left join fingerprints f on f.set_id = $setId and f.number = k.value
       and f.tag = substr($tags, k.key * ${tagBytes} + 1, ${tagBytes})`,
  );
  select.setReturnArrays(true);
  return {
    asking: async (work) =>
      await sightings.askingInSteps(
        async () =>
          await work(async (setId, keys) => {
            const { numbers, tags } = hashesOf(setId, textBlockOf(keys));
            const [list] = oneList.parse(
              select.get({ setId, numbers: `[${numbers.join(",")}]`, tags }),
            );
            return idsOf
              .parse(JSON.parse(list))
              .map((id) => (id === 0 ? 0 : sightings.newestOf(setId, id)));
          }),
      ),
  };
}
