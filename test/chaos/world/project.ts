import { createHash } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { canaries } from "../../support/canaries.ts";
import { mappingModule, oracleSource, type OracleSource } from "../../support/ledger/oracle.ts";
import type { Plan } from "../plan.ts";

/** Silence after which an activity counts as dead; the shortest that a heartbeat every two seconds allows. */
export const heartbeatTimeoutMs = 3_000;

/** Is in the name of every row that is sent, and nowhere else. */
export const rowCanary = "chaos-cell";

/**
 * A name with everything that CSV and JSON must carry unharmed, and with noise, so that a chunk stays large when
 * compressed.
 */
function nameOf(key: string): string {
  const noise = createHash("sha512").update(key).digest("base64");
  const more = createHash("sha512").update(noise).digest("base64");
  const kinds = ['"quoted", and, commas', "two\nlines", "Zoë 株式会社 🚲", "plain"];
  return `${rowCanary} ${kinds[noise.charCodeAt(0) % kinds.length]} ${noise}${more}`;
}

/** The source of a seed, and what becomes of each of its rows. */
export function sourceOf({ files, rowsPerFile, every }: Plan): OracleSource {
  return oracleSource({ files, rowsPerFile, every, nameOf });
}

/** Writes files into a folder. */
export async function writeFiles(
  folder: string,
  files: Readonly<Record<string, string>>,
): Promise<void> {
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
}

/** The head of a configuration: the service at an address, and a queue on a Temporal that others may use too. */
export function chaosHead(at: { readonly address: string; readonly queue: string }): object {
  return {
    version: 1,
    api: {
      base_url: at.address,
      legacy_base_url: at.address,
      api_key: canaries.apiKey,
      requests_per_second: 1_000,
    },
    temporal: { task_queue: at.queue },
  };
}

/** Makes the folder of a project: its configuration, its mapping and the source for a first run. */
export async function makeProject(
  folder: string,
  parts: {
    readonly plan: Plan;
    readonly source: OracleSource;
    readonly address: string;
    readonly queue: string;
    /** The source that the seed's move reads. */
    readonly moved?: { readonly connections: object; readonly syncs: object } | undefined;
  },
): Promise<void> {
  const { plan, source, address, queue, moved } = parts;
  const config = {
    ...chaosHead({ address, queue }),
    connections: {
      exports: { connector: "csv", path: "accounts-*.csv" },
      ...moved?.connections,
    },
    syncs: {
      accounts: {
        from: "exports",
        stream: "account",
        record: "./map-account.ts",
        mode: plan.mode,
        chunk: { records: plan.chunkRecords },
        reject_limit: { rate: "100%" },
      },
      ...moved?.syncs,
    },
    advanced: {
      heartbeat_timeout: `${heartbeatTimeoutMs}ms`,
      retry_initial: "500ms",
      retry_max: "2s",
      schedule_to_start: "60s",
    },
  };
  await mkdir(folder, { recursive: true });
  await writeFiles(folder, {
    // JSON is valid YAML.
    "sluice.yaml": JSON.stringify(config, undefined, 2),
    "map-account.ts": mappingModule,
    ...source.before,
  });
}
