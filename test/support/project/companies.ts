import type { ChildProcess } from "node:child_process";
import { createInterface } from "node:readline/promises";

import type { WorkflowHandle } from "@temporalio/client";
import { request } from "undici";
import { z } from "zod";

import type { Checkpoint } from "../../../src/state/contract/runs/checkpoints.ts";
import type { backfill } from "../../../workflows/backfill/backfill.ts";
import type { Progress } from "../../../workflows/sync/progress.ts";
import { end, until } from "../process/process.ts";
import { projectHead, type Project } from "./project.ts";

/** A table of companies in a real Postgres, which the sync `companies` of a project sends. */
export type Companies = {
  readonly url: string;
  readonly rows: number;
  readonly query: (sql: string) => Promise<readonly Record<string, unknown>[]>;
};

/** One row in this many changes while a backfill is under way: some in every chunk of every lane. */
export const changedOneIn = 40;

/** The id of the workflow `backfill`. */
export const backfillId = "backfill-companies";

/** A `sluice.yaml` that sends the table; every backfill waits for approval. */
export function companiesConfig(
  { url }: Pick<Companies, "url">,
  more: { readonly chunkRecords: number; readonly advanced: string },
): string {
  return `${projectHead}connections:
  crm: { connector: postgres, url: "${url}" }
syncs:
  companies:
    from: { connection: crm, table: companies, changed_by: { column: updated_at, overlap: 1s } }
    stream: account
    chunk: { records: ${more.chunkRecords} }
    approve: { auto_up_to: 0 }
    record:
      account_id: id
      domain: domain
      account_properties: { name: name }
advanced: { ${more.advanced} }
`;
}

/** Makes the table: its rows changed over the last twenty days, in an order other than that of their keys. */
export async function makeCompanies({ query, rows }: Companies): Promise<void> {
  await query(
    `create table companies (id bigint primary key, domain text, name text, updated_at timestamptz not null);
     insert into companies select n, 'c' || n || '.example', 'Company ' || n,
       now() - interval '1 hour' - (n::bigint * 7919 % ${rows}) * interval '20 days' / ${rows}
     from generate_series(1, ${rows}) as n;
     create index on companies (updated_at, id);
     analyze companies`,
  );
}

/** Changes every row without a stamp, as a load that bypasses the application does: only a backfill picks that up. */
export async function correctUnseen({ query }: Companies): Promise<void> {
  await query("update companies set name = name || ', corrected'");
}

/** Changes one row in `changedOneIn` as the application does: the nightly run picks that up. */
export async function changeSome({ query }: Companies): Promise<void> {
  await query(
    `update companies set name = 'Newer ' || id, updated_at = now() where id % ${changedOneIn} = 0`,
  );
}

const line = z.object({
  record: z.object({
    account_id: z.string(),
    account_properties: z.object({ name: z.string() }),
  }),
});

/** Counts the keys for which the sandbox and the table hold different names, or which only one of them has. */
export async function countDifferences(project: Project, companies: Companies): Promise<number> {
  const names = new Map<string, unknown>();
  for (const { id, name } of await companies.query("select id, name from companies")) {
    names.set(String(id), name);
  }
  const { body } = await request(`${project.sandbox.address}/_sandbox/records?stream=account`);
  let different = 0;
  for await (const text of createInterface({ input: body })) {
    const { account_id: id, account_properties: properties } = line.parse(JSON.parse(text)).record;
    if (names.get(id) !== properties.name) different += 1;
    names.delete(id);
  }
  return different + names.size;
}

/** The checkpoint of the sync, for a project that has run it. */
export async function checkpointOf({ state }: Project): Promise<Checkpoint> {
  const { target = "" } = (await state.runs({ limit: 1 }))[0] ?? {};
  return await state.checkpoint({ target, sync: "companies" });
}

/** Starts a backfill of the whole table in four lanes, as the Web UI does. */
export async function startBackfill(
  { temporal }: Project,
  input: object = {},
): Promise<WorkflowHandle<typeof backfill>> {
  return await temporal.client.workflow.start<typeof backfill>("backfill", {
    taskQueue: "sluice",
    workflowId: backfillId,
    args: [{ sync: "companies", from: "last 30 days", lanes: 4, send: "all", ...input }],
  });
}

/** Waits until a backfill has committed this many chunks. */
export async function untilCommitted(
  handle: WorkflowHandle<typeof backfill>,
  chunks: number,
): Promise<void> {
  await until(async () => {
    const { counts } = await handle.query<Progress>("progress");
    return counts.committed_chunks >= chunks;
  });
}

/** Kills, without warning, the worker that is working on an activity of the backfill. */
export async function killOneAtWork(
  handle: WorkflowHandle<typeof backfill>,
  workers: readonly ChildProcess[],
): Promise<void> {
  const victim = await until(async () => {
    const { raw } = await handle.describe();
    const identities = (raw.pendingActivities ?? []).map(({ lastWorkerIdentity }) =>
      String(lastWorkerIdentity),
    );
    return workers.find(({ pid }) => identities.some((text) => text.startsWith(`${pid} `)));
  });
  await end(victim, "SIGKILL");
}
