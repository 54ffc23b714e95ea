import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import type { Checked } from "../bench/bounds.ts";
import { say } from "../bench/report.ts";
import { PostgresCluster, runSql } from "../test/support/postgres/postgres-cluster.ts";
import { end } from "../test/support/process/process.ts";
import { accountsConfig, accountsCsv, type Project } from "../test/support/project/project.ts";
import { inProject, timed } from "./growth.ts";

const commandMsMax = 1_000;
const [rows, goneRows] = [100, 1];

/** Keys that one statement makes known. */
const keysAtOnce = 1_000_000;

async function runTwice(project: Project): Promise<void> {
  const worker = await project.worker();
  for (const count of [rows, rows - goneRows]) {
    await writeFile(join(project.folder, "accounts.csv"), accountsCsv(count));
    const { code, stderr } = await project.sluice("run", "accounts");
    if (code !== 0) throw new Error(`sluice run: ${stderr}`);
  }
  await end(worker, "SIGTERM");
}

/** Makes `keys` more keys known, with the hashes of their fields; a tenth of them is no longer in the source. */
async function makeKnown(url: string, keys: number): Promise<void> {
  for (let from = 0; from < keys; from += keysAtOnce) {
    const to = Math.min(keys, from + keysAtOnce);
    await runSql(
      url,
      `insert into sluice.fingerprints (set_id, number, tag, hash, send, id)
       select s.id, hashint8extended(n, 7), hashint8extended(n, 8), gen_random_uuid(),
         (select max(send) from sluice.stagings where state = 'committed'), ${rows} + n
       from sluice.fingerprint_sets s, generate_series(${from + 1}, ${to}) as n
       on conflict do nothing;
       insert into sluice.field_hashes (set_id, id, hashes)
       select s.id, ${rows} + n, (select hashes from sluice.field_hashes limit 1)
       from sluice.fingerprint_sets s, generate_series(${from + 1}, ${to}) as n
       on conflict do nothing`,
    );
    say(`${to.toLocaleString("en")} keys`);
  }
  const gone = Uint32Array.from({ length: keys / 10 }, (_, at) => rows + 1 + 10 * at);
  const bits = randomBytes(Math.ceil((rows + keys) / 8));
  await runSql(
    url,
    `update sluice.fingerprint_sets set next_id = ${rows + keys + 1};
     update sluice.whole_readings set ids = decode('${bits.toString("base64")}', 'base64');
     insert into sluice.vanished (set_id, run_id, at, ids)
       select id, 'long-ago', '2026-01-01T00:00:00.000Z',
         decode('${Buffer.from(gone.buffer).toString("base64")}', 'base64') from sluice.fingerprint_sets;
     analyze sluice.fingerprints`,
  );
}

/** The time of `sluice explain` with many keys in a store in Postgres. */
export async function proveExplain(keys: number): Promise<readonly Checked[]> {
  say(`${keys.toLocaleString("en")} keys in Postgres`);
  const server = await PostgresCluster.start();
  const config = accountsConfig().replace(
    "connections:",
    'store: { url: "${STORE_URL}", project: p }\nconnections:',
  );
  try {
    return await inProject({ "sluice.yaml": config, "accounts.csv": "" }, async (project) => {
      Object.assign(project.env, { STORE_URL: server.url });
      await project.sluice("store", "migrate");
      await runTwice(project);
      await makeKnown(server.url, keys);
      const checked: Checked[] = [];
      for (const [what, args] of [
        ["`sluice explain` of a key that was sent", ["explain", "accounts", "a1"]],
        ["`sluice explain` of a key that is gone", ["explain", "accounts", `a${rows - goneRows}`]],
        ["`sluice --version`, the start of the program alone", ["--version"]],
      ] as const) {
        checked.push(await timed(project, { what, args, msMax: commandMsMax }));
      }
      return checked;
    });
  } finally {
    await server.remove();
  }
}
