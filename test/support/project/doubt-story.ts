import type { RunReport } from "../../../src/report/report.ts";
import { canaries } from "../canaries.ts";
import { lateRequest } from "../late-request.ts";
import { accountsCsv, harnessHead, type Harness } from "./harness.ts";
import { rows, stagedRun, TestRun } from "./test-run.ts";

/** Longer than any request may be applied late. */
export const overMs = 30 * 60_000;

/** The accounts of a run, each with a newer name. */
export const newer = accountsCsv(rows, (row) => `newer ${row}`);

/** A sync of the changes in the table `companies`. */
export function companiesYaml(url: string): string {
  return `${harnessHead}connections:
  crm: { connector: postgres, url: "${url}" }
syncs:
  accounts:
    from: { connection: crm, table: companies, changed_by: { column: updated_at, overlap: 1ms } }
    stream: account
    record: { account_id: id, domain: domain, account_properties: { name: name } }
`;
}

/** A project that turns events into accounts; `domain` is the member that holds the domain. */
export function formsYaml(domain: string): string {
  return `${harnessHead}connections:
  forms: { connector: webhook, path: /hooks/forms, secret: ${canaries.webhookSecret} }
syncs:
  accounts:
    from: forms
    stream: account
    record: { account_id: id, domain: { column: ${domain}, as: domain }, account_properties: { name: name } }
`;
}

/** The name that the service holds for an account. */
export async function held(harness: Harness, key: string): Promise<unknown> {
  return (await harness.sandbox.names()).get(key);
}

/** Transfers as the next run does. */
export async function transfer(
  harness: Harness,
  runId: string,
  kind?: "inbox",
): Promise<RunReport> {
  const run = await TestRun.open(harness, kind === undefined ? { runId } : { runId, kind });
  return await run.transfer("body");
}

/** A project of five accounts, which an abandoned run has sent late, over the newer ones of the next run. */
export async function inDoubt(): Promise<Harness> {
  const { run, chunk } = await stagedRun();
  const { harness } = run;
  const late = await lateRequest(run, chunk);
  harness.terminated.add("first-run-1");
  await harness.write("accounts.csv", newer);
  await transfer(harness, "run-2");
  await late.arrive();
  return harness;
}

/** A run that sends the keys in doubt, as the workflow `resend` does. */
export async function resend(harness: Harness, runId: string): Promise<RunReport> {
  return await (await TestRun.open(harness, { runId, kind: "resend" })).transfer("body");
}
