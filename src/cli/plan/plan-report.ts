import { requestsPerChunk } from "../../backfill/estimate.ts";
import type { Config, SyncConfig } from "../../config/config.ts";
import type { Broken } from "../../guardrails/guardrails.ts";
import type { ReadCounts } from "../../report/counts.ts";
import { changesReport, type ReportChanges } from "../../report/report.ts";
import { openHold } from "../../state/contract/runs/holds.ts";
import type { Run } from "../../state/contract/runs/runs.ts";
import { changesLines } from "../../text/changes-text.ts";
import { chooseMode, type ChosenMode } from "../../text/choose-mode.ts";
import { brokenText } from "../../text/hold-text.ts";
import { byteText, counted, grouped, roughTimeText } from "../../text/quantities.ts";
import type { Deployed } from "./deployed.ts";
import type { MappingEdit } from "./mapping-edit.ts";
import type { PlannedRejects } from "./planned-rejects.ts";
import { pullCostText } from "./pull-plan-text.ts";
import type { PullPlan } from "./pull-plan.ts";
import type { PlannedChunk, ReadPlan } from "./read-plan.ts";

/** A plan, as `--json` prints it. */
export type PlanReport = {
  readonly sync: string;
  /** How many rows were read at most; null if all were. */
  readonly sample: number | null;
  /** How the mapping compares with that of the last run; for `edited`, with its fields. */
  readonly mapping: { readonly state: Deployed["state"] } & Partial<MappingEdit>;
  readonly counts: ReadCounts & { readonly would_send: number };
  /** How the run ends, or waits, instead of sending that; null if it sends it. */
  readonly stops: "failed" | "held" | null;
  readonly changes?: ReportChanges;
  /** By code. */
  readonly rejects: Readonly<Record<string, PlannedRejects>>;
  readonly mode: string | null;
  readonly requests: number;
  readonly bytes: { readonly json: number; readonly gzip: number };
  /** For the requests alone, at the rate that the configuration allows. */
  readonly seconds: number;
  /** The next runs of the pulls that write into what the sync reads. These cost credits; sending does not. */
  readonly pulls: readonly PullPlan[];
  readonly warnings: readonly string[];
};

/** What a plan has found. */
type Made = {
  readonly deployed: Deployed;
  readonly read: ReadPlan;
  readonly sample: number | undefined;
  /** Whether all rows were read that the run reads, so that `min_rows` counts them. @default false */
  readonly isWhole?: boolean;
  /** The guardrails that hold the run. @default none */
  readonly broken?: readonly Broken[];
  readonly pulls?: readonly PullPlan[];
  /** A run of the sync that continues, or is held. */
  readonly open?: Run | undefined;
  /** Records in doubt that it sends once more. @default 0 */
  readonly due?: number;
};

/** The mode as the workflow chooses it, by the first chunk that decides. */
function modeOf(
  { mode: asked, lightweightPartsMax: partsMax }: SyncConfig,
  chunks: readonly PlannedChunk[],
): ChosenMode | undefined {
  const chosen = chunks.map(({ counts: { records }, bodies }, index) =>
    chooseMode({ asked, partsMax, records, bodies, isWhole: index === chunks.length - 1 }),
  );
  return chosen.find((mode) => mode !== undefined);
}

function requestsOf(chunks: readonly PlannedChunk[], mode: string | undefined): number {
  const leaving = chunks.filter(({ counts }) => counts.records > 0);
  return mode === "lightweight"
    ? leaving.reduce((sum, { bodies }) => sum + bodies, 0)
    : leaving.length * requestsPerChunk;
}

/** Why the next run may differ from a plan: it begins once the open run has ended. */
function openText(run: Run): string {
  const { runId } = run;
  const what = openHold(run) === undefined ? "is under way" : "is held";
  return (
    `run ${runId} ${what}: its staged records count as unknown here, and no run begins until it has ended; ` +
    "plan again then"
  );
}

/** Why the run fails; undefined where it does not. */
function failureText({ holdIf, minRows }: SyncConfig, made: Made): string | undefined {
  const { isWhole, read } = made;
  // With guardrails, everything is staged before anything is sent.
  const nothing = (what: string): string =>
    holdIf === undefined ? `nothing of ${what}` : "nothing of it";
  if (read.tooMany !== undefined) {
    const { rejected, read: rows } = read.tooMany;
    return (
      `the run fails: ${grouped(rejected)} of its first ${counted(rows, "row")} are rejected, more than ` +
      `\`reject_limit\` allows, and ${nothing("the chunk that exceeds it")} is sent`
    );
  }
  if (isWhole !== true || read.counts.read >= minRows) return undefined;
  return (
    `the run fails: it reads fewer rows than the ${grouped(minRows)} that \`min_rows\` asks for, and ` +
    `${nothing("its last chunk")} is sent`
  );
}

/** How the run ends, or waits, instead of sending everything, and why. */
function stopOf(sync: SyncConfig, made: Made): Pick<PlanReport, "stops" | "warnings"> {
  const failure = failureText(sync, made);
  if (failure !== undefined) return { stops: "failed", warnings: [failure] };
  const { broken = [] } = made;
  if (broken.length === 0) return { stops: null, warnings: [] };
  const why = broken.map(brokenText).join(", ");
  const text = `the run is held, and nothing of it is sent until a person agrees: ${why}`;
  return { stops: "held", warnings: [text] };
}

/** Why more is sent than what is read, whose requests alone a plan counts. */
function dueText(due: number): string {
  return (
    `${counted(due, "record")} of these ${due === 1 ? "is" : "are"} sent once more, in a request before the others: ` +
    "a request of unknown outcome may have been applied over what was sent"
  );
}

/** The plan that follows from what was read. */
export function planReport({ api }: Pick<Config, "api">, sync: SyncConfig, made: Made): PlanReport {
  const { deployed, read, sample, pulls = [], open, due = 0 } = made;
  const { counts, changes, chunks, rejects, range } = read;
  const { records, ...others } = counts;
  const chosen = modeOf(sync, chunks);
  const requests = requestsOf(chunks, chosen?.mode);
  const { stops, warnings } = stopOf(sync, made);
  return {
    sync: sync.name,
    sample: sample ?? null,
    mapping: deployed.state === "edited" ? { state: "edited", ...deployed.edit } : deployed,
    counts: { ...others, would_send: records + due },
    stops,
    ...(changes === undefined
      ? {}
      : { changes: changesReport({ ...changes, again: changes.again + due }) }),
    rejects,
    mode: chosen?.mode ?? null,
    requests,
    bytes: {
      json: chunks.reduce((sum, { jsonBytes }) => sum + jsonBytes, 0),
      gzip: chunks.reduce((sum, { gzipBytes }) => sum + gzipBytes, 0),
    },
    seconds: Math.ceil(requests / api.requestsPerSecond),
    pulls,
    warnings: [
      ...warnings,
      ...(open === undefined ? [] : [openText(open)]),
      ...(due === 0 ? [] : [dueText(due)]),
      ...range.warnings,
    ],
  };
}

function rejectsText(rejects: PlanReport["rejects"]): string {
  return Object.entries(rejects)
    .toSorted(([, a], [, b]) => b.rows - a.rows)
    .map(([code, { rows, first }]) => `${code} ${grouped(rows)} (first: ${first})`)
    .join(", ");
}

function fieldsLine(what: string, fields: readonly string[] = []): readonly string[] {
  return fields.length === 0 ? [] : [`  ${what}: ${fields.join(", ")}`];
}

function mappingLines({ mapping }: PlanReport): readonly string[] {
  const { state, added, removed, changed } = mapping;
  if (state === "none") return [];
  if (state === "same") return ["the mapping is that of the last run"];
  if (state === "reordered")
    return [
      "the fields are in another order than at the last run: a record that has them counts as changed",
    ];
  if (state === "other")
    return ["the mapping is another than at the last run; a module does not say in which fields"];
  return [
    "the mapping is another than at the last run",
    ...fieldsLine("added", added),
    ...fieldsLine("removed", removed),
    ...fieldsLine("mapped otherwise", changed),
  ];
}

/** A plan for a person, with a line for each fact. */
export function planLines(report: PlanReport): readonly string[] {
  const { counts, changes, mode, requests, bytes, seconds, sample, warnings } = report;
  const { read, would_send: sends, unchanged, filtered, rejected } = counts;
  const size = mode === "lightweight" ? bytes.json : bytes.gzip;
  const what = sample === null ? "" : `, of the first ${grouped(sample)} alone`;
  return [
    ...mappingLines(report),
    `reads ${counted(read, "row")}${what}: would send ${grouped(sends)}, unchanged ${grouped(unchanged)}, ` +
      `filtered ${grouped(filtered)}, rejected ${grouped(rejected)}`,
    ...changesLines(changes).map((line) => `  ${line}`),
    ...(rejected === 0 ? [] : [`  rejected as ${rejectsText(report.rejects)}`]),
    ...(sends === 0 || requests === 0
      ? []
      : [
          `${counted(requests, "request")}, ${byteText(size)} (${mode ?? "heavyweight"}), ` +
            `${roughTimeText(Math.max(1, seconds))} at the rate limit`,
        ]),
    ...report.pulls.map(
      (plan) => `pull ${plan.pull}, which writes into what it reads, makes ${pullCostText(plan)}`,
    ),
    ...warnings,
  ];
}
