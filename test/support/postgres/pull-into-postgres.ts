import { expect, onTestFinished } from "vitest";
import { z } from "zod";

import type { RunReport } from "../../../src/report/report.ts";
import { canaries } from "../canaries.ts";
import { Project } from "../project/project.ts";
import { postgres, type TestDatabase } from "./postgres.ts";

/** Accounts in the sandbox at the start. */
export const accounts = 40;

const anyReport = z.custom<RunReport>((value) => typeof value === "object" && value !== null);

function config(advanced = ""): string {
  return `version: 1
api:
  base_url: \${SLUICE_BASE_URL}
  legacy_base_url: \${SLUICE_LEGACY_BASE_URL}
  api_key: ${canaries.apiKey}
  requests_per_second: 1000
connections:
  crm: { connector: postgres, url: "\${CRM_DATABASE_URL}" }
syncs: {}
pulls:
  scores:
    accounts: { sort: [{ sort_by: name }] }
    page_size: 10
    write_back:
      connection: crm
      table: scores
      key: { mk_id: mk_id }
      set: { domain: domain, fit: scores.customer_fit.score, segment: scores.customer_fit.segment }
  hiring:
    job_postings:
      domains_from: { connection: crm, table: scores, column: domain }
    write_back:
      connection: crm
      table: job_postings
      key: { url: job_opening_url, event: event, day: event_on }
      set: { title: job_opening_title, keywords: keywords }
advanced: { heartbeat_timeout: 10s, retry_initial: 500ms${advanced} }
`;
}

/**
 * A project with the pulls `scores` and `hiring`, and the database that they write to, with the tables of
 * these pulls.
 */
export async function pullingProject({
  advanced = "",
  pulls = ["scores", "hiring"],
}: { readonly advanced?: string; readonly pulls?: readonly string[] } = {}): Promise<{
  project: Project;
  database: TestDatabase;
}> {
  const database = await postgres();
  const project = await Project.start(onTestFinished, { "sluice.yaml": config(advanced) });
  project.env["CRM_DATABASE_URL"] = database.url;
  for (const pull of pulls) {
    const { stdout, code } = await project.sluice("pull", pull, "--ddl");
    expect(code).toBe(0);
    await database.query(stdout);
  }
  return { project, database };
}

/** The MD5 of a table's rows in the order of all their columns, and of the transactions that wrote them. */
export async function md5Of({ query }: TestDatabase, table: string): Promise<unknown> {
  const [row] = await query(
    `select count(*)::int as rows, md5(string_agg(t::text, E'\\n' order by t::text)) as md5,
       md5(string_agg(xmin::text, ' ' order by t::text)) as written from ${table} t`,
  );
  return row;
}

/** Runs a pull to its end. @throws {Error} it did not end well */
export async function pullNow(project: Project, name: string): Promise<RunReport> {
  const { stdout, code, stderr } = await project.sluice("pull", name, "--json");
  if (code !== 0) throw new Error(`exit code ${code}: ${stderr}`);
  return anyReport.parse(JSON.parse(stdout));
}
