import { join } from "node:path";

import { SandboxView } from "../sandbox-view.ts";
import { accountsYaml, Harness } from "./harness.ts";
import { TestRun } from "./test-run.ts";

/** An account as it is sent. */
export type PlantedAccount = {
  readonly type: "account";
  readonly account_id: string;
  readonly domain: string;
  readonly account_properties: Readonly<Record<string, number | string>>;
};

/** The account of a row that `plantedProject` has. */
export function accountOf(row: number): PlantedAccount {
  return {
    type: "account",
    account_id: `a${row}`,
    domain: `c${row}.example`,
    account_properties: { name: `Name ${row}`, employees: row + 1, tier: "gold" },
  };
}

/** Columns of the file, and one row of it. */
export const header = "id,domain,name,employees,tier";

/** A row of the file. */
export function rowOf(row: number): string {
  const { account_id, domain, account_properties } = accountOf(row);
  return [account_id, domain, ...Object.values(account_properties)].join(",");
}

const properties = "{ name: name, employees: { column: employees, as: integer }, tier: tier }";
const yaml = accountsYaml().replace("{ name: name }", properties);

/**
 * A project of this many accounts, all of which were accepted by a server other than the one it looks into, which holds
 * what is given: like a service that lost some of them, or changed them.
 */
export async function plantedProject(
  rows: number,
  held: readonly PlantedAccount[],
  sync: readonly string[] = [],
): Promise<Harness> {
  const lines = Array.from({ length: rows }, (_, row) => rowOf(row));
  const harness = await Harness.open({
    yaml: `${yaml}${sync.map((member) => `    ${member}\n`).join("")}`,
    files: { "accounts.csv": [header, ...lines, ""].join("\n") },
  });
  const other = await SandboxView.start(join(harness.folder, "other"));
  await (await TestRun.open(harness.sendingTo(other.address))).transfer();
  await hold(harness, held);
  return harness;
}

/** Makes another server accept all of a text once more, at the time of the project's clock. */
export async function acceptAgain(harness: Harness, text: string): Promise<void> {
  await harness.write("accounts.csv", text);
  const other = await SandboxView.start(join(harness.folder, `other-${harness.clock.nowMs}`));
  const runId = `again-${harness.clock.nowMs}`;
  await (
    await TestRun.open(harness.sendingTo(other.address), { runId, request: { full: true } })
  ).transfer();
}

/** Puts accounts into the service that a project looks into. */
async function hold({ deps, sandbox }: Harness, held: readonly PlantedAccount[]): Promise<void> {
  if (held.length === 0) return;
  const body = JSON.stringify({ stream: "account", data: held });
  await fetch(new URL("/ingestion/upload-json", sandbox.address), {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": deps.config.api.apiKey.reveal() },
    body,
  });
}
