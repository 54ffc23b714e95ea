import type { DatabaseSync } from "node:sqlite";

import { z } from "zod";

import { agesOf, bytesOfAges } from "../keys/age-blocks.ts";

const placeRow = z.object({ setId: z.int(), block: z.int() });

const blockRow = z.object({ ages: z.instanceof(Uint8Array).transform(agesOf) });

/**
 * Step 16: blocks of ages hold runs of them, where those are shorter. An older sluice would read wrong ages from them:
 * one that had the store open, and went unnoticed because it slept, finds no column of that name.
 */
export function shortenAges(db: DatabaseSync): void {
  const places = db.prepare("select set_id as setId, block from sighted_blocks").all();
  const isOfPlace = "set_id = $setId and block = $block";
  const select = db.prepare(`select ages from sighted_blocks where ${isOfPlace}`);
  const put = db.prepare(`update sighted_blocks set ages = $ages where ${isOfPlace}`);
  for (const row of places) {
    const place = placeRow.parse(row);
    const { ages } = blockRow.parse(select.get(place));
    put.run({ ...place, ages: bytesOfAges(ages) });
  }
  db.exec("alter table sighted_blocks rename column ages to age_runs");
}
