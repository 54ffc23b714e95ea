import { spawn, type ChildProcess } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import type { WorkflowHandleWithFirstExecutionRunId } from "@temporalio/client";
import { historyToJSON } from "@temporalio/common/lib/proto-utils.js";
import { tsToMs } from "@temporalio/common/lib/time.js";
import { request } from "undici";
import { z } from "zod";

import type { RunReport } from "../../../src/report/report.ts";
import { startSandbox, type Sandbox } from "../../../src/sandbox/http/server.ts";
import type { LedgerEntry } from "../../../src/sandbox/ledger.ts";
import { type LockHolder } from "../../../src/state/contract/runs/locks.ts";
import { sendLock } from "../../../src/state/contract/runs/locks.ts";
import { openSqliteStore } from "../../../src/state/sqlite/open.ts";
import type { StateStore } from "../../../src/state/state-store.ts";
import type { sync } from "../../../workflows/sync/sync.ts";
import { canaries, keepEvidence, keepFolder } from "../canaries.ts";
import { end, until, watch, type Ended } from "../process/process.ts";
import { ownNamespace, type OwnTemporal } from "../temporal/own-namespace.ts";

/** The built program; the test command builds it first. */
export const bin = fileURLToPath(new URL("../../../bin/sluice.js", import.meta.url));

/** Takes cleanup work and does it at the end, last first: vitest's `onTestFinished`, or a script's own list. */
export type AtEnd = (work: () => Promise<void>) => void;

const recordLine = z.object({ record: z.looseObject({ account_id: z.string() }) });
const anyReport = z.custom<RunReport>((value) => typeof value === "object" && value !== null);
const ledgerEntry = z.custom<LedgerEntry>((value) => typeof value === "object" && value !== null);

/** A project of its own: folder, Temporal, sandbox, and whatever processes a test starts. All end with the test. */
export class Project {
  readonly folder: string;
  readonly sandbox: Sandbox;
  readonly temporal: OwnTemporal;
  readonly state: StateStore;
  readonly env: NodeJS.ProcessEnv;
  /** The program that its commands and workers run. */
  program = bin;
  /** The workers started, in order. */
  readonly workers: ChildProcess[] = [];
  readonly #atEnd: AtEnd;

  private constructor(parts: {
    atEnd: AtEnd;
    folder: string;
    sandbox: Sandbox;
    temporal: OwnTemporal;
    state: StateStore;
    env: NodeJS.ProcessEnv;
  }) {
    ({
      folder: this.folder,
      sandbox: this.sandbox,
      temporal: this.temporal,
      state: this.state,
      env: this.env,
    } = parts);
    this.#atEnd = parts.atEnd;
  }

  /** Makes a project with these files, on a Temporal that `open` provides. */
  static async start(
    atEnd: AtEnd,
    files: Readonly<Record<string, string>>,
    open = ownNamespace,
  ): Promise<Project> {
    const folder = await mkdtemp(join(tmpdir(), "sluice-e2e-"));
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    const temporal = await open(folder);
    const dataFolder = join(folder, "sandbox");
    const sandbox = await startSandbox({ host: "127.0.0.1", port: 0, dataFolder });
    const stateFolder = join(folder, ".sluice");
    const state = await openSqliteStore(stateFolder);
    const env = {
      PATH: process.env["PATH"],
      HOME: process.env["HOME"],
      NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
      TEMPORAL_ADDRESS: temporal.address,
      TEMPORAL_NAMESPACE: temporal.namespace,
      SLUICE_BASE_URL: sandbox.address,
      SLUICE_LEGACY_BASE_URL: sandbox.address,
      CRM_DATABASE_URL: canaries.databaseUrl,
    };
    const project = new Project({ atEnd, folder, sandbox, temporal, state, env });
    atEnd(async () => {
      const search = await Promise.allSettled([project.#keepHistories()]);
      await temporal.close();
      await sandbox.close();
      await state.close();
      search.push(...(await Promise.allSettled([keepFolder(folder)])));
      await rm(folder, { recursive: true });
      for (const found of search) if (found.status === "rejected") throw found.reason;
    });
    return project;
  }

  /** Starts a worker process, with this added to its environment and these options, and returns once it polls. */
  async worker(env: NodeJS.ProcessEnv = {}, ...options: readonly string[]): Promise<ChildProcess> {
    const child = spawn(process.execPath, [this.program, "worker", ...options], {
      cwd: this.folder,
      env: { ...this.env, ...env },
      stdio: ["ignore", "ignore", "pipe"],
    });
    this.workers.push(child);
    const { printed, ended } = watch(child);
    this.#atEnd(async () => {
      await end(child, "SIGKILL");
      await ended;
    });
    await until(async () => {
      if (child.exitCode !== null) throw new Error(`the worker ended: ${printed().stderr}`);
      return printed().stderr.includes("worker started");
    });
    return child;
  }

  /** Runs the program to its end. */
  async sluice(...args: string[]): Promise<Ended> {
    return await this.sluiceWith({}, ...args);
  }

  /** The same with this added to its environment. */
  async sluiceWith(env: NodeJS.ProcessEnv, ...args: string[]): Promise<Ended> {
    return await watch(this.command(args, env)).ended;
  }

  /** Starts the program, with this added to its environment. */
  command(args: readonly string[], env: NodeJS.ProcessEnv = {}): ChildProcess {
    const child = spawn(process.execPath, [this.program, ...args], {
      cwd: this.folder,
      env: { ...this.env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#atEnd(async () => await end(child, "SIGKILL"));
    return child;
  }

  /** Runs that have staged files. */
  async stagedRuns(): Promise<string[]> {
    return await readdir(join(this.folder, ".sluice/staging"));
  }

  /** Starts the workflow as the Web UI does: with one JSON object. */
  async start(
    input: unknown,
    workflowId = "sync-under-test",
  ): Promise<WorkflowHandleWithFirstExecutionRunId<typeof sync>> {
    return await this.temporal.client.workflow.start<typeof sync>("sync", {
      taskQueue: "sluice",
      workflowId,
      args: [input],
    });
  }

  /** The time from the cancel request to the end of an ended workflow, by Temporal's clock alone, in ms. */
  async msToCancel(workflowId: string): Promise<number> {
    const handle = this.temporal.client.workflow.getHandle(workflowId);
    const events = (await handle.fetchHistory()).events ?? [];
    const asked = events.find((event) =>
      Boolean(event.workflowExecutionCancelRequestedEventAttributes),
    );
    return tsToMs(events.at(-1)?.eventTime) - tsToMs(asked?.eventTime);
  }

  /** The holder of the send lock of the newest run's sync. */
  async lockHolder(): Promise<LockHolder | undefined> {
    const [run] = await this.state.runs({ limit: 1 });
    return run && (await this.state.lockHolder(sendLock(run.target, run.sync)));
  }

  async ledger(): Promise<LedgerEntry[]> {
    const { body } = await request(`${this.sandbox.address}/_sandbox/ledger`);
    const lines = (await body.text()).split("\n").filter((line) => line !== "");
    return lines.map((line) => ledgerEntry.parse(JSON.parse(line)));
  }

  /** Records that the sandbox holds, by id, as JSON. */
  async records(): Promise<Map<string, string>> {
    const { body } = await request(`${this.sandbox.address}/_sandbox/records?stream=account`);
    const lines = (await body.text()).split("\n").filter((line) => line !== "");
    return new Map(
      lines.map((line): [string, string] => {
        const { record } = recordLine.parse(JSON.parse(line));
        return [record.account_id, JSON.stringify(record)];
      }),
    );
  }

  /** The report of the newest run, as `runs show --json` prints it. */
  async report(): Promise<RunReport> {
    const { stdout } = await this.sluice("runs", "show", "--json");
    return anyReport.parse(JSON.parse(stdout));
  }

  /**
   * All executions of a workflow id as JSON text, histories of continued runs included, once there are this many:
   * Temporal lists an execution a moment after its start.
   */
  async histories(workflowId: string, executions = 1): Promise<string[]> {
    const { client } = this.temporal;
    const query = `WorkflowId="${workflowId}"`;
    await until(async () => (await client.workflow.count(query)).count >= executions);
    const texts: string[] = [];
    for await (const { runId } of client.workflow.list({ query })) {
      const history = await client.workflow.getHandle(workflowId, runId).fetchHistory();
      texts.push(JSON.stringify(historyToJSON(history)));
    }
    return texts;
  }

  /** Keeps as evidence what the project sent to Temporal. @throws {Error} a secret or a row is in it. */
  async #keepHistories(): Promise<void> {
    const { client } = this.temporal;
    for await (const { workflowId, runId } of client.workflow.list()) {
      const history = await client.workflow.getHandle(workflowId, runId).fetchHistory();
      const text = JSON.stringify(historyToJSON(history));
      await keepEvidence({ what: `the history of ${workflowId}`, text });
    }
  }

  async read(name: string): Promise<string> {
    return await readFile(join(this.folder, name), "utf8");
  }

  async write(name: string, text: string): Promise<void> {
    await writeFile(join(this.folder, name), text);
  }
}

/** The head of a project's `sluice.yaml`: the sandbox, from the environment. */
export const projectHead: string = `version: 1
api:
  base_url: \${SLUICE_BASE_URL}
  legacy_base_url: \${SLUICE_LEGACY_BASE_URL}
  api_key: ${canaries.apiKey}
  allow_insecure_hosts: ["\${CRM_DATABASE_URL:-none}"]
  requests_per_second: 1000
`;

/** A `sluice.yaml` for accounts from `accounts.csv`, with short waits and room for more members of the sync. */
export function accountsConfig(
  more: { readonly sync?: string; readonly advanced?: string } = {},
): string {
  return `${projectHead}connections:
  exports: { connector: csv, path: ./accounts.csv }
syncs:
${syncOfAccounts({ name: "accounts", from: "exports", id: "id", more: more.sync })}advanced:
  { retry_initial: 500ms${more.advanced ?? ""} }
`;
}

/**
 * A `sluice.yaml` with several syncs by name, each with these additional members, of accounts from `<name>.csv`; their
 * records do not overlap: the id of row 0 is `<name>-a0`.
 */
export function syncsConfig(syncs: Readonly<Record<string, string>>, advanced = ""): string {
  const names = Object.keys(syncs);
  const connections = names.map((name) => `  ${name}: { connector: csv, path: ./${name}.csv }\n`);
  const texts = Object.entries(syncs).map(([name, more]) =>
    syncOfAccounts({ name, from: name, id: `{ template: "${name}-{id}" }`, more }),
  );
  return `${projectHead}connections:
${connections.join("")}syncs:
${texts.join("")}advanced: { retry_initial: 500ms${advanced} }
`;
}

function syncOfAccounts(sync: {
  readonly name: string;
  readonly from: string;
  readonly id: string;
  readonly more: string | undefined;
}): string {
  return `  ${sync.name}:
    from: ${sync.from}
    stream: account
    record:
      account_id: ${sync.id}
      domain: { column: domain, as: domain }
      account_properties: { name: name, employees: { column: employees, as: integer } }
    ${sync.more ?? ""}
`;
}

/** A CSV file of this many accounts; `name` gives each its name. */
export function accountsCsv(
  rows: number,
  name = (row: number): string => `Company ${row}`,
): string {
  const lines = Array.from(
    { length: rows },
    (_, row) => `a${row},c${row}.example,${name(row)},${row % 500}`,
  );
  return ["id,domain,name,employees", ...lines, ""].join("\n");
}
