import { spawn } from "node:child_process";
import { cp, mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { onTestFinished } from "vitest";

import { runEffect } from "../../src/effect.ts";
import type { Fault } from "../../src/sandbox/faults.ts";
import { startSandbox, type Sandbox } from "../../src/sandbox/server.ts";
import { crashRun, driveRun } from "../support/kill-drive.ts";
import { Journal } from "../support/kill-journal.ts";
import type { KillPoint } from "../support/kill-point.ts";
import { crashKey, openWorker } from "../support/kill-worker.ts";
import { checkLedger, type LedgerFindings } from "../support/ledger-check.ts";
import { recordsUnderWay, type Snapshot } from "../support/ledger-facts.ts";
import {
  mappingModule,
  oracleSource,
  type OracleSource,
  type SourceSize,
} from "../support/ledger-oracle.ts";
import { readService, readStore } from "../support/ledger-view.ts";
import { watch, type Ended } from "../support/process.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

type Mode = "lightweight" | "heavyweight";

/** How one crash point came out. */
export type CrashResult = LedgerFindings & {
  /** Whether the process was killed: when it was not, the run had no such effect. */
  readonly wasKilled: boolean;
  /** Names of the effects until the end, the last of them where it died. */
  readonly effects: readonly string[];
};

const child = fileURLToPath(new URL("../support/kill-child.ts", import.meta.url));

/** Every file is a chunk: a page ends with its file, and a chunk at the first page's end behind its first record. */
const yaml = `version: 1
api:
  base_url: \${SLUICE_BASE_URL}
  legacy_base_url: \${SLUICE_BASE_URL}
  api_key: \${SLUICE_API_KEY}
  requests_per_second: 1000000
connections:
  exports: { connector: csv, path: accounts-*.csv }
syncs:
  accounts:
    from: exports
    stream: account
    record: ./map-account.ts
    chunk: { records: 1 }
`;

/** Texts of rows and addresses: none of them may enter the journal, which is what Temporal would keep (I4). */
const canaries = [crashKey, ".example", "name of", "too few fields", "no domain", "signature="];

/** A sync in one mode whose first run is over, and that is killed again and again in its second. */
export class CrashLane {
  readonly #mode: Mode;
  readonly #source: OracleSource;
  readonly #folder: string;
  readonly #sandbox: Sandbox;
  /** Lines of the ledger that earlier runs left. */
  #linesBefore = 0;

  private constructor(parts: {
    mode: Mode;
    source: OracleSource;
    folder: string;
    sandbox: Sandbox;
  }) {
    this.#mode = parts.mode;
    this.#source = parts.source;
    this.#folder = parts.folder;
    this.#sandbox = parts.sandbox;
  }

  /** Makes the project and lets its first run send the source as it was before. */
  static async open(mode: Mode, size: SourceSize): Promise<CrashLane> {
    const source = oracleSource(size);
    const folder = await temporaryFolder();
    const dataFolder = join(folder, "sandbox");
    const sandbox = await startSandbox({ host: "127.0.0.1", port: 0, dataFolder });
    onTestFinished(async () => await sandbox.close());
    const project = join(folder, "project");
    await mkdir(project);
    const files = { "sluice.yaml": yaml, "map-account.ts": mappingModule, ...source.before };
    await writeAll(project, files);
    const worker = await openWorker({
      folder: project,
      address: sandbox.address,
      effect: runEffect,
    });
    const run = { runId: "run-1", workflowId: "wf-1", firstRunId: "first-1" };
    const journal = new Journal(join(folder, "first.jsonl"));
    await driveRun({ run, mode, deps: worker, journal });
    await worker.close();
    await writeAll(project, source.now);
    const lane = new CrashLane({ mode, source, folder, sandbox });
    lane.#linesBefore = (await readService(sandbox.address)).ledger.length;
    return lane;
  }

  /** Runs the second run until a process dies at `point`, lets another one finish it, and checks everything. */
  async crash(point: KillPoint, fault?: Fault): Promise<CrashResult> {
    const folder = join(this.#folder, `${point.when}-${point.number}`);
    await cp(join(this.#folder, "project"), folder, { recursive: true });
    if (fault !== undefined) this.#sandbox.order(fault);
    const ended = await this.#runChild(folder, point);
    const journal = new Journal(join(folder, "journal.jsonl"));
    const { effects } = journal.read();
    const findings = await this.#finish({ folder, journal, stderr: ended.stderr }).catch(
      (cause: unknown) => {
        const where = `killed at effect ${effects.length}, ${effects.at(-1)}`;
        throw new Error(`${where}: the run could not be finished: ${String(cause)}`, { cause });
      },
    );
    await rm(folder, { recursive: true });
    return { ...findings, effects, wasKilled: ended.code === null };
  }

  async #finish(at: {
    readonly folder: string;
    readonly journal: Journal;
    readonly stderr: string;
  }): Promise<LedgerFindings> {
    const { folder, journal, stderr } = at;
    const since = this.#linesBefore;
    const { oracle } = this.#source;
    const { runId } = crashRun;
    const { address } = this.#sandbox;
    const deps = await openWorker({ folder, address, effect: runEffect });
    const look = async (): Promise<Snapshot> => ({
      service: await readService(address, since),
      store: await readStore(deps.state, { runId, oracle }),
    });
    try {
      const snapshot = await look();
      const report = await driveRun({ run: crashRun, mode: this.#mode, deps, journal });
      const { service, store } = await look();
      this.#linesBefore += service.ledger.length;
      const endedMs = Date.parse(report.ended_at ?? "");
      return checkLedger({
        oracle,
        service,
        store,
        report,
        snapshots: [snapshot],
        ambiguities: [recordsUnderWay(snapshot.store)],
        silences: [{ fromMs: endedMs, toMs: Infinity, why: "after the run ended" }],
        canaries,
        texts: [{ where: "what Temporal keeps", text: journal.text() }],
        measures: [
          {
            what: "runs with files left",
            value: (await readdir(deps.stagingFolder)).length,
            max: 0,
          },
          { what: `lines on stderr: ${stderr}`, value: stderr.split("\n").length - 1, max: 0 },
        ],
      });
    } finally {
      await deps.close();
    }
  }

  async #runChild(folder: string, point: KillPoint): Promise<Ended> {
    const asked = { folder, address: this.#sandbox.address, mode: this.#mode, point };
    const running = spawn(process.execPath, [child, JSON.stringify(asked)], {
      // Reading the types away and compiling takes longer than the run: once is enough.
      env: { NODE_COMPILE_CACHE: join(this.#folder, "compile-cache") },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const ended = await watch(running).ended;
    if (ended.code !== null && ended.code !== 0)
      throw new Error(`the worker broke: ${ended.stderr}`);
    return ended;
  }
}

async function writeAll(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
}
