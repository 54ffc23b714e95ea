import { join } from "node:path";

import { PostgresCluster } from "../../test/support/postgres/postgres-cluster.ts";
import { say } from "../report.ts";
import { makeEmpty, runStaging, stagingBySluice } from "../rounds.ts";
import { oracleSha256 } from "../workloads/accounts.ts";
import {
  asSent,
  asTheyAre,
  copyAccounts,
  fromAccounts,
  makePostgresAccounts,
} from "../workloads/postgres-accounts.ts";
import { bestInTurn, ratioOf } from "./best.ts";
import type { Figures, PartInput } from "./part.ts";

/** Stages a table of a server of its own into chunks, compared with `\copy` of the same query. */
export async function measurePostgres({ folder, rows, rounds }: PartInput): Promise<Figures> {
  const server = await PostgresCluster.start();
  try {
    const { url } = server;
    const accounts = { url, rows };
    say(`making a table of ${rows.toLocaleString("en")} rows`);
    await makePostgresAccounts(accounts);
    const csv = join(folder, "postgres.csv");
    await copyAccounts(accounts, { columns: asSent, file: csv });
    const sha256 = await oracleSha256(csv);
    const output = join(folder, "output");
    const members = { url, ...fromAccounts };
    const staging = stagingBySluice({ connector: "postgres", members, send: "changed" });
    const programs = {
      "\\copy": async () => {
        await makeEmpty(output);
        const file = join(output, "copy.csv");
        return await copyAccounts(accounts, { columns: asTheyAre, file });
      },
      first: async () => {
        await makeEmpty(output);
        return await runStaging([...staging, "--folder", output], folder, {
          records: rows,
          sha256,
        });
      },
    };
    const best = await bestInTurn(programs, { rounds, warmUp: true });
    const { value, from } = ratioOf(best("first"), best("\\copy"), "seconds");
    const client = ratioOf(best("first"), best("\\copy")).from;
    return { firstBesideCopy: { value, from: `${from}; of the clients ${client}` } };
  } finally {
    await server.remove();
  }
}
