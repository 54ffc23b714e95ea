import { readdir } from "node:fs/promises";

import type { RunReport } from "../../../src/report/report.ts";
import { checkLedger, type LedgerFindings } from "../../support/ledger/check.ts";
import { recordsUnderWay, type LedgerFacts, type OracleRow } from "../../support/ledger/facts.ts";
import { mappingModule, oracleSource, type SourceSize } from "../../support/ledger/oracle.ts";
import { readService, readStore } from "../../support/ledger/view.ts";
import { differs } from "../../support/ledger/words.ts";
import { runIds } from "./drive-run.ts";
import type { Death, LanePlan, Successor } from "./lane.ts";
import { crashKey } from "./worker.ts";

/** The source of a project's accounts, and the number of accounts a chunk. */
type Accounts = {
  readonly connection: string;
  readonly from: string;
  readonly records: number;
  /** The guardrails of the sync. @default none */
  readonly holdIf?: string;
};

/** Texts of rows and addresses: none of them may enter the journal, which represents what Temporal keeps (I4). */
const canaries = [crashKey, ".example", "name of", "too few fields", "no domain", "signature="];

/**
 * Accounts in CSV files, each of which is a page. A run continues with a file only if it is the same one, so that
 * copies must share the files.
 */
export function accountsInFiles(
  size: SourceSize,
): Pick<Accounts, "connection" | "from"> &
  Required<Pick<LanePlan<unknown>, "source">> & { readonly oracle: readonly OracleRow[] } {
  const { oracle, ...source } = oracleSource(size);
  return {
    connection: "{ connector: csv, path: ../source/accounts-*.csv }",
    from: "exports",
    source,
    oracle: oracle.map((row) => ({ ...row, place: `../source/${row.place}` })),
  };
}

/** The files of a project with a sync of accounts, except those of its source. */
export function accountsProject({
  connection,
  from,
  records,
  holdIf,
}: Accounts): Readonly<Record<string, string>> {
  const yaml = `version: 1
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
    chunk: { records: ${records} }
${holdIf === undefined ? "" : `    hold_if: ${holdIf}\n`}`;
  return { "sluice.yaml": yaml, "map-account.ts": mappingModule };
}

/** A lane's knowledge of its source, and what it checks besides service, store and report. */
type Known = Pick<LedgerFacts, "moves"> & {
  readonly oracle: readonly OracleRow[];
  readonly measure?: (report: RunReport) => Promise<NonNullable<LedgerFacts["measures"]>>;
};

/** Lets a run of accounts end, and compares the state before and after with what its source holds. */
export async function finishAccounts(
  { deps, address, journal, stderr, linesBefore, drive }: Successor,
  { oracle, moves, measure }: Known,
): Promise<LedgerFindings> {
  const look = async () => ({
    service: await readService(address, linesBefore),
    store: await readStore(deps.state, { runId: runIds.runId, oracle }),
  });
  const snapshot = await look();
  const report = await drive();
  const { service, store } = await look();
  const endedMs = Date.parse(report.ended_at ?? "");
  const left = await readdir(deps.stagingFolder);
  return checkLedger({
    oracle,
    service,
    store,
    report,
    ...(moves === undefined ? {} : { moves }),
    snapshots: [snapshot],
    ambiguities: [recordsUnderWay(snapshot.store)],
    silences: [{ fromMs: endedMs, toMs: Infinity, why: "after the run ended" }],
    canaries,
    texts: [{ where: "what Temporal keeps", text: journal.text() }],
    measures: [
      { what: "runs with files left", value: left.length, max: 0 },
      { what: `lines on stderr: ${stderr}`, value: stderr.split("\n").length - 1, max: 0 },
      ...((await measure?.(report)) ?? []),
    ],
  });
}

/**
 * The violations of a death of a run that sends files: one key is processed once, so that a repeated confirm repeats no
 * record.
 */
export function violationsOfFiles({
  found,
}: Pick<Death<LedgerFindings>, "found">): readonly string[] {
  return [...found.violations, ...differs("records repeated", found.numbers.repeated, 0)];
}
