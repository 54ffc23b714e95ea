import { roughTimeText } from "../../src/text/quantities.ts";
import { detailsErrorCharsMax } from "../limits.ts";
import { fenced, type Progress, reportDetails } from "../sync/progress.ts";
import type { BackfillState, LaneState } from "./backfill-state.ts";
import { planDetails } from "./plan-details.ts";

const barCells = 20;

/** What a backfill with a plan does, in the phases in which nobody needs to do anything. */
const nowTexts: ReadonlyMap<BackfillState["phase"], string> = new Map([
  ["planning", "it is being planned again, and nothing is sent; a cancel ends it"],
  [
    "opening",
    "it is compared with the source once more, and begins as soon as no other run of the sync holds the send " +
      "lock; a cancel ends it",
  ],
]);

function bar(share: number): string {
  const full = Math.round(Math.min(1, Math.max(0, share)) * barCells);
  return "█".repeat(full) + "░".repeat(barCells - full);
}

function laneLine(lane: LaneState, rows: number | null | undefined): string {
  const share = lane.state === "done" ? 1 : lane.read / Math.max(1, rows ?? Infinity);
  const of = rows === null || rows === undefined ? "" : ` of ${rows}`;
  return `| ${lane.lane} | ${bar(share)} | ${lane.read}${of} | ${lane.sent} | ${lane.state} |`;
}

function laneTable({ lanes, plan }: BackfillState): string {
  const lines = lanes.map((lane) => laneLine(lane, plan?.lanes[lane.lane - 1]));
  return ["| lane | | rows read | sent | |", "|---:|---|---:|---:|---|", ...lines].join("\n");
}

/** Rows a second since the lanes began, not counting pauses, and the time left at this rate. */
function paceLine(state: BackfillState, nowMs: number): readonly string[] {
  const { began_ms: began, rested_ms: rested, lanes, plan } = state;
  const read = lanes.reduce((sum, lane) => sum + lane.read, 0);
  const seconds = began === null ? 0 : (nowMs - began - rested) / 1_000;
  if (seconds < 1 || read === 0) return [];
  const rate = read / seconds;
  const left = plan?.rows === null || plan === null ? undefined : Math.max(0, plan.rows - read);
  const until = left === undefined ? "" : `, about ${roughTimeText(left / rate)} left`;
  return [`${Math.round(rate)} rows a second${until}`];
}

function failureText({ lanes }: BackfillState): readonly string[] {
  const failed = lanes.filter(({ failure }) => failure !== undefined);
  if (failed.length === 0) return [];
  const texts = failed.map(
    ({ lane, failure }) => `lane ${lane}: ${failure?.message ?? ""} ${failure?.hint ?? ""}`,
  );
  return ["Last errors:", fenced(texts.join("\n").slice(0, detailsErrorCharsMax))];
}

function rejectsText({ rejects }: BackfillState): readonly string[] {
  if (rejects.length === 0) return [];
  return [
    "Rejects:",
    fenced(rejects.map(({ count, reason }) => `${count} × ${reason}`).join("\n")),
  ];
}

/** The newest notes that there is room for. */
function notesText({ notes }: BackfillState): readonly string[] {
  return notes.length === 0 ? [] : [fenced(notes.join("\n").slice(-detailsErrorCharsMax))];
}

/** Current details of a backfill: its plan, its lanes at work, or its report. */
export function backfillDetails(progress: Progress, state: BackfillState, nowMs: number): string {
  const { report, waiting, counts } = progress;
  const { plan, phase, approval } = state;
  if (report !== null) {
    const lanes = state.is_begun ? [laneTable(state)] : [];
    return [reportDetails(report), ...lanes, ...failureText(state), ...notesText(state)].join(
      "\n\n",
    );
  }
  if (plan === null) return "### Planning: rows are counted, nothing is sent";
  if (phase !== "running") {
    const now = nowTexts.get(phase) ?? approval;
    return [planDetails(plan, now), ...notesText(state)].join("\n\n");
  }
  const title = `### ${plan.sync}: backfill ${state.is_paused ? "paused" : "under way"}`;
  const hint = state.is_paused
    ? "The update `resume` continues it (More Actions → Send an Update)."
    : "The updates `pause` and `set_lanes` change it (More Actions → Send an Update).";
  return [
    title,
    laneTable(state),
    ...paceLine(state, nowMs),
    `${counts.rejected} rejected, ${counts.unchanged} unchanged, ${counts.filtered} filtered; chunks ` +
      `${counts.committed_chunks} of ${counts.staged_chunks} staged`,
    ...(waiting === null ? [] : [fenced(waiting.slice(0, detailsErrorCharsMax))]),
    ...rejectsText(state),
    ...failureText(state),
    ...notesText(state),
    hint,
  ].join("\n\n");
}
