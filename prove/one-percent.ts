import { once } from "node:events";
import { createReadStream, createWriteStream } from "node:fs";
import { rename } from "node:fs/promises";
import { createInterface } from "node:readline/promises";
import { finished } from "node:stream/promises";

import { z } from "zod";

import {
  asSent,
  copyAccounts,
  type PostgresAccounts,
} from "../bench/workloads/postgres-accounts.ts";
import { runSql } from "../test/support/postgres/postgres-cluster.ts";

/** Changes one row of a hundred in a source; returns how many. */
export type ChangeSome = () => Promise<number>;

const nth = 100;

/** The start of a row of gen-accounts.mjs, up to its name; lines within a description never look like this. */
const upToName = /^0015g[^,]*,[^,]*,"?/;

/** In a CSV of accounts, which is replaced; unchanged rows keep their bytes. */
export function changeSomeOfCsv(csv: string): ChangeSome {
  return async () => {
    const next = `${csv}.next`;
    const out = createWriteStream(next);
    let [rows, changed] = [0, 0];
    for await (const line of createInterface({ input: createReadStream(csv) })) {
      let text = line;
      if (upToName.test(line) && rows++ % nth === 0) {
        changed += 1;
        text = line.replace(upToName, (start) => `${start}New `);
      }
      if (!out.write(`${text}\n`)) await once(out, "drain");
    }
    out.end();
    await finished(out);
    await rename(next, csv);
    return changed;
  };
}

const changedRow = z.object({ changed: z.coerce.number().int() });

/** In a table of accounts; `csv` has its rows for the oracle, and is rewritten. */
export function changeSomeOfTable(accounts: PostgresAccounts, csv: string): ChangeSome {
  return async () => {
    const [row] = await runSql(
      accounts.url,
      `with changed as (update accounts set name = 'New ' || name where id % ${nth} = 0 returning 1)
       select count(*) as changed from changed`,
    );
    await copyAccounts(accounts, { columns: asSent, file: csv });
    return changedRow.parse(row).changed;
  };
}
