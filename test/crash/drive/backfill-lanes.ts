import type { Dependencies } from "../../../activities/dependencies.ts";
import { firstChunkOf } from "../../../src/lane-of.ts";
import { sendLock } from "../../../src/state/contract/runs/locks.ts";
import type { LedgerFindings } from "../../support/ledger/check.ts";
import { canonicalJson, type OracleRow } from "../../support/ledger/facts.ts";
import { postgres, type TestDatabase } from "../../support/postgres/postgres.ts";
import { numbers } from "../../support/sequences.ts";
import { absentFrom, type CrashTest } from "../crash-test.ts";
import { runIds } from "./drive-run.ts";
import type { Successor } from "./lane.ts";
import {
  accountsInFiles,
  accountsProject,
  finishAccounts,
  violationsOfFiles,
} from "./ledger-lane.ts";

/** A backfill dies at one in this many effects of its chunks: they are a sync's, which dies at each of its own. */
const chunkEffectsPerKill = 32;

/** Records after which a chunk ends with its page: three pages of the file. */
const records = 13;

/** Rows of the table whose checkpoint is handed over. */
const tableRows = 40;

/** The backfill's own activities: all except those of its chunks and of the nightly run. */
const ofBackfill =
  /^(?:planBackfill|openBackfill|nightWaits|yieldBackfill|dropChunk of all|advanceCheckpoint|closeRun)/;

/** The prefix, before an activity's name, of the effect with which the activity ends. */
const completes = "complete ";

/** Lets a backfill end, and also checks that the nightly run's place stays where it is, or is handed over. */
async function finishBackfill(
  successor: Successor,
  { oracle, handsOver }: { readonly oracle: readonly OracleRow[]; readonly handsOver: boolean },
): Promise<LedgerFindings> {
  const { state, target } = successor.deps;
  const name = { target, sync: "accounts" };
  const before = await state.checkpoint(name);
  return await finishAccounts(successor, {
    oracle,
    moves: handsOver ? 1 : 0,
    measure: async ({ warnings }) => {
      const after = await state.checkpoint(name);
      const place = handsOver ? await endOf(state, runIds.runId) : before.position;
      const isInPlace = canonicalJson(after.position) === canonicalJson(place);
      const holder = await state.lockHolder(sendLock(target, "accounts"));
      return [
        { what: "holders of the send lock", value: holder === undefined ? 0 : 1, max: 0 },
        { what: `warnings: ${warnings.join("; ")}`, value: warnings.length, max: 0 },
        { what: "checkpoints out of place", value: isInPlace ? 0 : 1, max: 0 },
      ];
    },
  });
}

/**
 * The points before each effect of the backfill's own from its `first` activity on, after the last effect of each
 * activity, and before some effects of its chunks.
 */
function pointsFrom(effects: readonly string[], first: string): readonly number[] {
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

/** A backfill that must have these effects, and dies from an activity on. */
function testFrom(
  first: string,
  wanted: readonly string[],
): Omit<CrashTest<LedgerFindings>, "plan"> {
  return {
    pointsOf: (effects) => pointsFrom(effects, first),
    violationsOf: violationsOfFiles,
    missingOf: (_, { effects }) => absentFrom(effects, wanted),
  };
}

/** A backfill of two lanes, which lets a nightly run go first. */
export const ofFiles: CrashTest<LedgerFindings> = {
  ...testFrom("planBackfill", ["putPlan", "complete nightWaits", "complete openBackfill again"]),
  plan: async () => {
    // One file, because several files have one lane, with the minimum length for two lanes; few of its rows are sent.
    const size = { files: 1, rowsPerFile: 10_200, every: 500, others: "filtered" } as const;
    const { oracle, source, ...accounts } = accountsInFiles(size);
    return {
      run: { kind: "backfill", input: { sync: "accounts", lanes: 2 } },
      files: accountsProject({ ...accounts, records }),
      source,
      finish: async (successor) => await finishBackfill(successor, { oracle, handsOver: false }),
    };
  },
};

/** A backfill that hands its checkpoint over to a sync that has never run. */
export const ofTable: CrashTest<LedgerFindings> = {
  ...testFrom("advanceCheckpoint", ["setCheckpoint"]),
  plan: async () => {
    const { url, query } = await postgres();
    const oracle = await changedTable(query);
    const connection = `{ connector: postgres, url: "${url}" }`;
    const from = "{ connection: exports, table: accounts, changed_by: { column: changed_at } }";
    const input = { sync: "accounts", to: new Date().toISOString(), advance_checkpoint: true };
    return {
      run: { kind: "backfill", input },
      files: accountsProject({ connection, from, records }),
      finish: async (successor) => await finishBackfill(successor, { oracle, handsOver: true }),
    };
  },
};

/** Makes a table of accounts, the fifth of which has no domain. Returns what should become of each. */
async function changedTable(query: TestDatabase["query"]): Promise<readonly OracleRow[]> {
  await query(
    `create table accounts (id text primary key, domain text, name text, status text, changed_at timestamptz not null);
     insert into accounts select 'a' || n, case when n = 5 then '' else 'c-a' || n || '.example' end, 'name of a' ||
     n, 'open',
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

/** Where the last lane's last committed chunk ended. */
async function endOf(
  state: Pick<Dependencies["state"], "committedStaging" | "laneSpans">,
  runId: string,
): Promise<unknown> {
  const lanes = (await state.laneSpans(runId)).length;
  let end: unknown;
  for (let chunk = firstChunkOf(lanes); ; chunk += 1) {
    const send = await state.committedStaging({ runId, chunk });
    if (send === undefined) return end;
    end = send.to;
  }
}
