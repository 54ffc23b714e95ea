import { setTimeout as delay } from "node:timers/promises";

import { z } from "zod";

import { openHold } from "../../src/state/contract/runs/holds.ts";
import type { Run } from "../../src/state/contract/runs/runs.ts";
import type { StateStore } from "../../src/state/state-store.ts";
import { readService } from "../support/ledger/view.ts";
import { type Handle, runOf } from "./fault-injector.ts";
import type { Tell } from "./journal.ts";
import type { Move } from "./plan.ts";
import type { OneAddress } from "./world/databases.ts";
import type { Fleet } from "./world/fleet.ts";

/** Rows of the table before any change. */
const tableRows = 60;

const lookEveryMs = 20;
const askEveryMs = 1_000;
/** Far longer than staging the table takes. */
const heldMsMax = 120_000;

/** The sync that reads the table. */
export const movedSync = "companies";

/** What a move needs from its seed. */
export type MoveParts = {
  readonly fleet: Fleet;
  readonly state: StateStore;
  readonly database: OneAddress;
  readonly tell: Tell;
  readonly start: () => Promise<Handle>;
  /** Waits until a run has ended. */
  readonly finished: (handle: Handle) => Promise<Run>;
};

/** The connection and the sync of a move, as members of `connections` and `syncs`. */
export function movedSource(
  move: Move,
  url: string,
): { readonly connections: object; readonly syncs: object } {
  const { timeZone } = move;
  const crm = {
    connector: "postgres",
    url,
    ...(timeZone === undefined ? {} : { time_zone: timeZone }),
  };
  // A guardrail holds a run by a share of all rows: each run reads them all.
  const isHeld = move.kind === "held";
  const read = isHeld ? {} : { changed_by: { column: "changed_at" } };
  const from = { connection: "crm", table: "public.companies", ...read };
  const guarded = isHeld ? { hold_if: { changed_above: "30%" } } : {};
  const record = { account_id: "id", domain: "domain", account_properties: { name: "name" } };
  return {
    connections: { crm },
    syncs: { [movedSync]: { from, stream: "account", record, ...guarded } },
  };
}

/** The stamp of a row: an application writes UTC if the column has no zone. */
function stampOf({ kind }: Move): string {
  return kind === "zone-ahead" ? "(clock_timestamp() at time zone 'UTC')" : "clock_timestamp()";
}

/** A statement that changes a setting of the database for later sessions. */
function alter(setting: string): string {
  return `do $$ begin execute format('alter database %I set ${setting}', current_database()); end $$`;
}

/** Statements that make the table, in a database whose clock or zone is ahead if the move says so. */
function tableSql(move: Move): readonly string[] {
  const { kind, hours } = move;
  const type = kind === "zone-ahead" ? "timestamp" : "timestamptz";
  const key = kind === "second-version" ? "id, version" : "id";
  return [
    ...(kind === "zone-ahead" ? [alter("timezone = ''Asia/Tokyo''")] : []),
    ...(kind === "clock-back"
      ? [
          // The first schema in the search path provides the clock of this database.
          `create schema clock; create function clock.clock_timestamp() returns timestamptz language sql volatile
             as $$ select pg_catalog.clock_timestamp() + interval '${hours} hours' $$`,
          alter("search_path = clock, pg_catalog, public"),
        ]
      : []),
    `create table public.companies (id text not null, version int not null default 1, name text not null,
       domain text generated always as (id || '.example') stored, changed_at ${type} not null, primary key (${key}))`,
  ];
}

/** Adds rows `from` to `to`, of a version, each with its own stamp. */
function added(
  move: Move,
  rows: {
    readonly from: number;
    readonly to: number;
    readonly version?: number;
    readonly every?: number;
  },
): string {
  const { from, to, version = 1, every = 1 } = rows;
  return `insert into public.companies (id, version, name, changed_at)
    select 'p' || n, ${version}, 'version ${version} of ' || n, ${stampOf(move)}
    from generate_series(${from}, ${to}) as n where n % ${every} = 0`;
}

function renamed(
  move: Move,
  { every, to }: { readonly every: number; readonly to: string },
): string {
  return `update public.companies set name = name || ' ${to}', changed_at = ${stampOf(move)}
    where version = 1 and substr(id, 2)::int % ${every} = 0`;
}

/** The changes to the table before each further run. */
function changesOf(move: Move): readonly (readonly string[])[] {
  const more = added(move, { from: tableRows + 1, to: tableRows + 10 });
  const later = [renamed(move, { every: 5, to: "late" })];
  if (move.kind === "second-version") {
    // Two versions of a record in one run, and one version that another run has sent.
    const versions = [2, 3].map((version) =>
      added(move, { from: 1, to: tableRows, version, every: version }),
    );
    return [versions, later];
  }
  if (move.kind === "held") return [[renamed(move, { every: 2, to: "new" })], later];
  const stepsBack = move.kind === "clock-back" ? ["drop schema clock cascade"] : [];
  return [[...stepsBack, renamed(move, { every: 3, to: "new" }), more], later];
}

const named = z.object({ id: z.string(), name: z.string() });
const held = z.looseObject({ account_properties: z.looseObject({ name: z.string() }) });

/** Records that differ between the service and the table, where the newest of several versions counts. */
async function wrong({ database, fleet }: MoveParts): Promise<readonly string[]> {
  const rows = await database.query(
    "select distinct on (id) id, name from public.companies order by id, changed_at desc, version desc",
  );
  const { records } = await readService(fleet.sandboxAddress);
  return rows.flatMap((row) => {
    const { id, name } = named.parse(row);
    const found = records.get(id);
    const has = found && held.parse(JSON.parse(found.record)).account_properties.name;
    return has === name ? [] : [`${id} is ${has} and not ${name}`];
  });
}

/** Runs the sync, and kills every worker in the middle if the move says so. */
async function runOnce({ killsWorkers }: Move, parts: MoveParts): Promise<Run> {
  const { fleet, state, start, finished, tell } = parts;
  const handle = await start();
  if (killsWorkers) {
    while ((await runOf(state, handle)) === undefined) await delay(lookEveryMs);
    tell("kill", { during: movedSync });
    await Promise.all(fleet.workers.map(async (worker) => await worker.end("SIGKILL")));
  }
  return await finished(handle);
}

/** A run that must be done, after which the service must hold what the table does. */
async function runWhole(when: string, move: Move, parts: MoveParts): Promise<readonly string[]> {
  const { outcome, failure } = await runOnce(move, parts);
  if (outcome !== "done")
    return [`${move.kind}: a run ${when} ended as ${outcome} (${failure?.code})`];
  const keys = await wrong(parts);
  if (keys.length === 0) return [];
  return [
    `${move.kind}: ${keys.length} records are not as the table has them ${when}: ${keys[0]}, …`,
  ];
}

/** Waits until a run is held. Returns its id. */
async function heldId(handle: Handle, { state }: Pick<MoveParts, "state">): Promise<string> {
  const giveUpAt = performance.now() + heldMsMax;
  for (;;) {
    const run = await runOf(state, handle);
    if (run !== undefined && openHold(run) !== undefined) return run.runId;
    const hasEnded = run !== undefined && run.endedAt !== null;
    if (hasEnded || performance.now() > giveUpAt) {
      throw new Error(`the run is not held: ${run?.outcome ?? "it still runs"}`);
    }
    await delay(lookEveryMs);
  }
}

/** Waits until a worker answers for a run: after a kill, starting takes as long as the machine is busy. */
async function answered(handle: Handle): Promise<void> {
  const giveUpAt = performance.now() + heldMsMax;
  while (performance.now() < giveUpAt) {
    const found = await handle.query("progress").catch(() => undefined);
    if (found !== undefined) return;
    await delay(askEveryMs);
  }
  throw new Error("no worker answers for a run that is held");
}

/** A held run must send nothing, whoever is killed meanwhile, until somebody approves it. */
async function runHeld(move: Move, parts: MoveParts): Promise<readonly string[]> {
  const { fleet, start, finished, tell } = parts;
  const requests = async (): Promise<number> =>
    (await readService(fleet.sandboxAddress)).ledger.length;
  const before = await requests();
  const handle = await start();
  const runId = await heldId(handle, parts);
  if (move.killsWorkers) {
    tell("kill", { during: "a hold" });
    await Promise.all(fleet.workers.map(async (worker) => await worker.end("SIGKILL")));
  }
  const sent = (await requests()) - before;
  await answered(handle);
  // Its worker may have died while it was weighed, and the workflow may learn of the hold later than the store.
  const { exit, stdout } = await fleet.sluice("approve", runId);
  const { outcome, failure } = await finished(handle);
  tell("a run was held", { sent, outcome, failure: failure?.code });
  const keys = outcome === "done" ? await wrong(parts) : [];
  return [
    ...(sent === 0 ? [] : [`held: a run that waits made ${sent} requests`]),
    ...(exit.code === 0 ? [] : [`approve ended with ${exit.code}: ${stdout}`]),
    ...(outcome === "done"
      ? []
      : [`held: the approved run ended as ${outcome} (${failure?.code})`]),
    ...(keys.length === 0 ? [] : [`held: ${keys.length} records are not as the table has them`]),
  ];
}

/** A run on another database at the address must stop and send nothing, until a person says that it is the same. */
async function runElsewhere(move: Move, parts: MoveParts): Promise<readonly string[]> {
  const { database, fleet, tell } = parts;
  database.leadTo(1);
  await preparedTable(move, parts);
  // Other rows with the same keys: they must not arrive before somebody has said so.
  await database.query(renamed(move, { every: 2, to: "elsewhere" }));
  const before = (await readService(fleet.sandboxAddress)).ledger.length;
  const { outcome, failure } = await runOnce(move, parts);
  const sent = (await readService(fleet.sandboxAddress)).ledger.length - before;
  tell("the database is another one", { outcome, failure: failure?.code, rebinds: move.rebinds });
  const violations = [
    ...(outcome === "failed" ? [] : [`P6: a run on another database ended as ${outcome}`]),
    ...(sent === 0 ? [] : [`P6: a run on another database made ${sent} requests`]),
  ];
  if (!move.rebinds) {
    database.leadTo(0);
    return violations;
  }
  const { exit, stdout } = await fleet.sluice("state", "rebind", movedSync);
  return exit.code === 0
    ? violations
    : [...violations, `state rebind ended with ${exit.code}: ${stdout}`];
}

async function preparedTable(move: Move, { database }: MoveParts): Promise<void> {
  for (const sql of tableSql(move)) await database.query(sql);
  await database.query(added(move, { from: 1, to: tableRows }));
}

/** Changes a table, and its server, after everything else: the service must then hold what the table does. */
export async function makeMove(move: Move, parts: MoveParts): Promise<readonly string[]> {
  const { database, tell } = parts;
  tell("a move", { ...move });
  await preparedTable(move, parts);
  const violations = [...(await runWhole("at first", { ...move, killsWorkers: false }, parts))];
  if (move.kind === "another-database") violations.push(...(await runElsewhere(move, parts)));
  for (const [index, change] of changesOf(move).entries()) {
    for (const sql of change) await database.query(sql);
    const isHeld = move.kind === "held" && index === 0;
    const run = isHeld ? runHeld(move, parts) : runWhole(`behind change ${index + 1}`, move, parts);
    violations.push(...(await run));
  }
  return violations;
}
