import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { Harness, type HarnessSettings } from "./harness.ts";

/** Accounts in a sandbox at the start. */
export const accountsFound = 40;

/** Settings of the pulls of `pullYaml`, in addition to those that each needs. */
export type PullMembers = {
  /** Members of `scores`, one a line. */
  readonly scores?: readonly string[];
  /** Members of `hiring`, one a line. */
  readonly hiring?: readonly string[];
  /** The accounts that `scores` searches for. */
  readonly accounts?: string;
};

function lines(members: readonly string[] = []): string {
  return members.map((member) => `    ${member}\n`).join("");
}

/**
 * A `sluice.yaml` with two pulls into CSV files: `scores` of all accounts in four pages, `hiring` of the
 * postings of a file's domains.
 */
export function pullYaml({ scores, hiring, accounts = "{}" }: PullMembers = {}): string {
  return `version: 1
api:
  base_url: \${SLUICE_BASE_URL}
  legacy_base_url: \${SLUICE_BASE_URL}
  api_key: \${SLUICE_API_KEY}
  requests_per_second: 1000000
connections:
  exports: { connector: csv, path: companies.csv }
syncs: {}
pulls:
  scores:
    accounts: ${accounts}
    page_size: 10
    write_back:
      connection: exports
      file: scores.csv
      key: { mk_id: mk_id }
      set: { name: name, fit: scores.customer_fit.score }
${lines(scores)}  hiring:
    job_postings: { domains_from: { connection: exports, column: website } }
    write_back:
      connection: exports
      file: jobs.csv
      key: { url: job_opening_url, event: event, day: event_on }
      set: { title: job_opening_title }
${lines(hiring)}`;
}

/** A file of companies with these addresses. */
export function companiesCsv(websites: readonly string[]): string {
  return ["id,website", ...websites.map((website, row) => `${row + 1},${website}`), ""].join("\n");
}

/** A harness on `pullYaml`. */
export async function openPullHarness(
  settings: PullMembers & {
    readonly websites?: readonly string[];
    readonly sandbox?: HarnessSettings["sandbox"];
  } = {},
): Promise<Harness> {
  const { websites = [], sandbox, ...members } = settings;
  const files = { "companies.csv": companiesCsv(websites) };
  return await Harness.open({
    yaml: pullYaml(members),
    files,
    ...(sandbox === undefined ? {} : { sandbox }),
  });
}

/** The rows of a written file, its header first. */
export async function rowsOf({ folder }: Harness, file: string): Promise<readonly string[]> {
  return (await readFile(join(folder, file), "utf8")).trimEnd().split("\n");
}

/** The MD5 of a written file. */
export async function md5Of({ folder }: Harness, file: string): Promise<string> {
  return createHash("md5")
    .update(await readFile(join(folder, file)))
    .digest("hex");
}
