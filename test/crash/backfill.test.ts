import { spawn } from "node:child_process";
import { cp, mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { describe, expect, it, onTestFinished } from "vitest";

import type { Dependencies } from "../../activities/dependencies.ts";
import { runEffect } from "../../src/effect.ts";
import { firstChunkOf } from "../../src/lane-of.ts";
import { startSandbox, type Sandbox } from "../../src/sandbox/server.ts";
import { sendLock } from "../../src/state/locks.ts";
import { driveBackfill } from "../support/kill-backfill.ts";
import { crashRun, driveRun } from "../support/kill-drive.ts";
import { Journal } from "../support/kill-journal.ts";
import { crashKey, openWorker } from "../support/kill-worker.ts";
import { checkLedger, type LedgerFindings } from "../support/ledger-check.ts";
import { canonicalJson, recordsUnderWay, type OracleRow } from "../support/ledger-facts.ts";
import { mappingModule, oracleSource } from "../support/ledger-oracle.ts";
import { readService, readStore } from "../support/ledger-view.ts";
import { postgres, type TestDatabase } from "../support/postgres.ts";
import { watch } from "../support/process.ts";
import { numbers } from "../support/sequences.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const child = fileURLToPath(new URL("../support/kill-backfill-child.ts", import.meta.url));

const timeoutMs = 600_000;

/** One in so many of a chunk's effects is died at: it is the code of a sync, which dies at each of its own. */
const chunkEffectsPerKill = 32;

/** Rows of the table whose checkpoint is handed over. */
const tableRows = 40;

/** Activities of the backfill's own: all but those of its chunks and of the nightly run. */
const ofBackfill =
  /^(?:planBackfill|openBackfill|nightWaits|yieldBackfill|dropChunk of all|advanceCheckpoint|closeRun)/;

/** What the effect is called that an activity ends with, before its name. */
const completes = "complete ";

const canaries = [crashKey, ".example", "name of", "too few fields", "no domain", "signature="];

/** A backfill to be killed. */
type Plan = {
  readonly connection: string;
  readonly from: string;
  readonly files: Readonly<Record<string, string>>;
  /** What the files are after a first run has sent them; undefined is a sync that never ran. */
  readonly now?: Readonly<Record<string, string>>;
  readonly oracle: readonly OracleRow[];
  readonly input: object;
};

type CrashResult = LedgerFindings & {
  readonly wasKilled: boolean;
  readonly effects: readonly string[];
};

function yamlOf({ connection, from }: Plan): string {
  return `version: 1
api:
  base_url: \${SLUICE_BASE_URL}
  legacy_base_url: \${SLUICE_BASE_URL}
  api_key: \${SLUICE_API_KEY}
  requests_per_second: 1000000
connections:
  exports: ${connection}
syncs:
  accounts:
    from: ${from}
    stream: account
    record: ./map-account.ts
    chunk: { records: 2500 }
`;
}

async function writeAll(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
}

/** A backfill that is killed again and again, each time in a copy of its project. */
class BackfillLane {
  readonly #plan: Plan;
  readonly #folder: string;
  readonly #sandbox: Sandbox;
  /** Lines of the ledger that earlier runs left. */
  #linesBefore = 0;
  #crashes = 0;

  private constructor(plan: Plan, folder: string, sandbox: Sandbox) {
    this.#plan = plan;
    this.#folder = folder;
    this.#sandbox = sandbox;
  }

  static async open(plan: Plan): Promise<BackfillLane> {
    const folder = await temporaryFolder();
    const dataFolder = join(folder, "sandbox");
    const sandbox = await startSandbox({ host: "127.0.0.1", port: 0, dataFolder });
    onTestFinished(async () => await sandbox.close());
    const lane = new BackfillLane(plan, folder, sandbox);
    const project = join(folder, "project");
    await mkdir(project);
    const yaml = yamlOf(plan);
    await writeAll(project, {
      "sluice.yaml": yaml,
      "map-account.ts": mappingModule,
      ...plan.files,
    });
    if (plan.now !== undefined) {
      const deps = await lane.#worker(project);
      const run = { runId: "run-1", workflowId: "wf-1", firstRunId: "first-1" };
      const journal = new Journal(join(folder, "first.jsonl"));
      await driveRun({ run, mode: "heavyweight", deps, journal });
      await deps.close();
      await writeAll(project, plan.now);
    }
    lane.#linesBefore = (await readService(sandbox.address)).ledger.length;
    return lane;
  }

  async #worker(folder: string): ReturnType<typeof openWorker> {
    return await openWorker({ folder, address: this.#sandbox.address, effect: runEffect });
  }

  /** Runs the backfill until its process dies before an effect, lets another one finish it, and checks everything; 0 is no effect. */
  async crash(number: number): Promise<CrashResult> {
    this.#crashes += 1;
    const folder = join(this.#folder, `crash-${this.#crashes}`);
    await cp(join(this.#folder, "project"), folder, { recursive: true });
    const { address } = this.#sandbox;
    const { input } = this.#plan;
    const asked = { folder, address, input, point: { when: "before", number } };
    const running = spawn(process.execPath, [child, JSON.stringify(asked)], {
      env: { NODE_COMPILE_CACHE: join(this.#folder, "compile-cache") },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const { code, stderr } = await watch(running).ended;
    if (code !== null && code !== 0) throw new Error(`the worker broke: ${stderr}`);
    const journal = new Journal(join(folder, "journal.jsonl"));
    const { effects } = journal.read();
    const deps = await this.#worker(folder);
    try {
      const findings = await this.#finish(deps, journal).catch((cause: unknown) => {
        const where = `killed at effect ${effects.length}, ${effects.at(-1)}`;
        throw new Error(`${where}: it could not be finished: ${String(cause)}`, { cause });
      });
      return { ...findings, effects, wasKilled: code === null };
    } finally {
      await deps.close();
      await rm(folder, { recursive: true });
    }
  }

  async #finish(deps: Dependencies, journal: Journal): Promise<LedgerFindings> {
    const { oracle, input, now } = this.#plan;
    const { address } = this.#sandbox;
    const { runId } = crashRun;
    const { state, target, stagingFolder } = deps;
    const look = async () => ({
      service: await readService(address, this.#linesBefore),
      store: await readStore(state, { runId, oracle }),
    });
    const name = { target, sync: "accounts" };
    const snapshot = await look();
    const before = await state.checkpoint(name);
    const report = await driveBackfill({ input, deps, journal });
    const { service, store } = await look();
    this.#linesBefore += service.ledger.length;
    const after = await state.checkpoint(name);
    // The nightly run's place stays where it is, or is where the last lane ends.
    const end = await endOf(state, runId);
    const place = now === undefined ? end : before.position;
    const isInPlace = canonicalJson(after.position) === canonicalJson(place);
    const holder = await state.lockHolder(sendLock(target, "accounts"));
    const staged = await readdir(stagingFolder);
    return checkLedger({
      oracle,
      service,
      store,
      report,
      moves: now === undefined ? 1 : 0,
      snapshots: [snapshot],
      ambiguities: [recordsUnderWay(snapshot.store)],
      silences: [
        { fromMs: Date.parse(report.ended_at ?? ""), toMs: Infinity, why: "after the run ended" },
      ],
      canaries,
      texts: [{ where: "what Temporal keeps", text: journal.text() }],
      measures: [
        { what: "runs with files left", value: staged.length, max: 0 },
        { what: "holders of the send lock", value: holder === undefined ? 0 : 1, max: 0 },
        { what: `warnings: ${report.warnings.join("; ")}`, value: report.warnings.length, max: 0 },
        { what: "checkpoints out of place", value: isInPlace ? 0 : 1, max: 0 },
      ],
    });
  }
}

/**
 * Where to die: before each effect of the backfill's own from its `first` activity on, behind the last one of each activity, and before some
 * effects of its chunks.
 */
function pointsOf(effects: readonly string[], first: string): readonly number[] {
  // An effect belongs to the activity that completes next.
  const activities = effects.map((_, at) => {
    const end = effects.slice(at).find((effect) => effect.startsWith(completes));
    return end?.slice(completes.length) ?? "";
  });
  const from = activities.indexOf(first);
  const isOwn = (at: number): boolean => ofBackfill.test(activities[at] ?? "");
  const isChosen = (at: number): boolean =>
    isOwn(at) || isOwn(at - 1) || at % chunkEffectsPerKill === 0;
  const all = numbers(effects.length);
  return all.filter((at) => at >= from && isChosen(at)).map((at) => at + 1);
}

/** Kills the backfill from an activity on, and returns how it came out each time. */
async function crashFrom(
  lane: BackfillLane,
  first: string,
): Promise<{ readonly whole: CrashResult; readonly results: readonly CrashResult[] }> {
  const whole = await lane.crash(0);
  expect(whole).toMatchObject({ wasKilled: false, violations: [] });
  expect(whole.numbers.repeated).toBe(0);
  const results: CrashResult[] = [];
  for (const number of pointsOf(whole.effects, first)) results.push(await lane.crash(number));
  const found = results.flatMap(({ effects, violations }) =>
    violations.map((each) => `killed at effect ${effects.length}, ${effects.at(-1)}: ${each}`),
  );
  expect(found).toEqual([]);
  expect(results.map(({ wasKilled }) => wasKilled)).toEqual(results.map(() => true));
  // One key is processed once, so that a confirm which is repeated repeats no record.
  expect(results.filter((result) => result.numbers.repeated > 0)).toEqual([]);
  return { whole, results };
}

/** Makes a table of accounts, the fifth of which has no domain; answers what is to become of each. */
async function changedTable(query: TestDatabase["query"]): Promise<readonly OracleRow[]> {
  await query(
    `create table accounts (id text primary key, domain text, name text, status text, changed_at timestamptz not null);
     insert into accounts select 'a' || n, case when n = 5 then '' else 'c-a' || n || '.example' end, 'name of a' || n, 'open',
       now() - interval '1 day' + n * interval '1 minute' from generate_series(1, ${tableRows}) as n`,
  );
  return numbers(tableRows).map((index): OracleRow => {
    const key = `a${index + 1}`;
    const place = `public.accounts:${key}`;
    if (index === 4) return { key, place, verdict: { kind: "reject", code: "required" } };
    const account_properties = { name: `name of ${key}` };
    const record = {
      type: "account",
      account_id: key,
      domain: `c-${key}.example`,
      account_properties,
    };
    return { key, place, verdict: { kind: "accept", record: canonicalJson(record) } };
  });
}

describe("a backfill", () => {
  it(
    "loses and repeats nothing that it does not admit, wherever it is killed",
    async ({ annotate }) => {
      // Of one file, because several have one lane.
      const { before, now, oracle } = oracleSource({ files: 1, rowsPerFile: 10_200, every: 500 });
      const lane = await BackfillLane.open({
        connection: "{ connector: csv, path: accounts-*.csv }",
        from: "exports",
        files: before,
        now,
        oracle,
        input: { sync: "accounts", lanes: 2 },
      });
      const { whole, results } = await crashFrom(lane, "planBackfill");
      await annotate(`${results.length} of ${whole.effects.length} effects to die at`);
      for (const name of ["putPlan", "complete nightWaits", "complete openBackfill again"]) {
        expect(whole.effects).toContain(name);
      }
    },
    timeoutMs,
  );

  it(
    "hands the checkpoint over once, wherever it is killed",
    async () => {
      const { url, query } = await postgres();
      const lane = await BackfillLane.open({
        connection: `{ connector: postgres, url: "${url}" }`,
        from: "{ connection: exports, table: accounts, changed_by: { column: changed_at } }",
        files: {},
        oracle: await changedTable(query),
        input: { sync: "accounts", to: new Date().toISOString(), advance_checkpoint: true },
      });
      const { whole } = await crashFrom(lane, "advanceCheckpoint");
      expect(whole.effects).toContain("setCheckpoint");
    },
    timeoutMs,
  );
});

/** Where the last lane's last committed chunk ended. */
async function endOf(
  state: Pick<Dependencies["state"], "committedSend" | "laneSpans">,
  runId: string,
): Promise<unknown> {
  const lanes = (await state.laneSpans(runId)).length;
  let end: unknown;
  for (let chunk = firstChunkOf(lanes); ; chunk += 1) {
    const send = await state.committedSend({ runId, chunk });
    if (send === undefined) return end;
    end = send.to;
  }
}
