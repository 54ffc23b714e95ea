import { reportCounts } from "../../report/counts.ts";
import type { RunReport } from "../../report/report.ts";
import { zonedText } from "../../schedules/local-time.ts";
import type { RateLimit } from "../../state/contract/rate-limit.ts";
import { outcomeText } from "../../text/outcome-text.ts";
import { plainText } from "../../text/plain-text.ts";
import { grouped } from "../../text/quantities.ts";
import { styledOutcome } from "../output/style.ts";
import { advisingTable } from "../output/table.ts";
import { backfillText } from "./backfills.ts";
import { doubtLines } from "./doubts.ts";
import { inboxesText } from "./inbox.ts";
import { leftHoldLine } from "./left-holds.ts";
import type { ProjectStatus } from "./look.ts";
import { stateText } from "./rate-limit.ts";
import { minuteText, type TransferStatus } from "./transfer.ts";

function countsText(report: RunReport): string {
  const told = reportCounts(report).filter(([name, count]) => name === "read" || count > 0);
  const { changed = 0 } = report.changes ?? {};
  return [
    ...told.map(([name, count]) => `${name.replaceAll("_", " ")} ${grouped(count)}`),
    ...(changed === 0 ? [] : [`changed ${grouped(changed)}`]),
  ].join(", ");
}

/** The cells for a person about a sync or pull: name, last run, outcome, rows, next run, what is wrong. */
export function transferCells(
  transfer: TransferStatus,
): readonly [string, string, string, string, string, string] {
  const { name, last, next, schedule, waiting, problem } = transfer;
  const nextText =
    next === undefined || schedule === undefined
      ? "-"
      : `${zonedText(next, schedule.timeZone)} ${schedule.timeZone}`;
  // A schedule that is off must not hide what a run waits for; for a held run, its problem says that.
  const waits = last?.outcome === "held" ? undefined : waiting;
  const said = [waits, problem?.text].filter((text) => text !== undefined).join("; ");
  const wrong = [said, problem?.hint ?? ""];
  const lastText = last === undefined ? "never" : minuteText(last.started_at);
  return [
    name,
    lastText,
    last === undefined ? "-" : outcomeText(last.outcome),
    last === undefined ? "-" : countsText(last),
    nextText,
    plainText(wrong.filter((text) => text !== "").join(" → ")),
  ];
}

function limitText(rateLimit: RateLimit): string {
  const { limit, why } = rateLimit;
  return plainText(
    `${limit} is ${stateText(rateLimit)}: ${why ?? ""} → \`sluice rate-limit show\``,
  );
}

const heading = ["name", "last run", "outcome", "rows", "next run", "what is wrong → what to do"];

/** Whatever else a person has to know, one line each, with what to do. */
export function remarkLines(status: ProjectStatus): readonly string[] {
  const { transfers, inboxes, backfills, holds, doubts, mappings, limits, ...others } = status;
  const { workers, idle, behind, silent } = others;
  const isWorkerMissed =
    workers === 0 &&
    (backfills.length > 0 ||
      inboxes.some(({ waiting }) => waiting > 0) ||
      transfers.some(
        ({ last, schedule }) => schedule !== undefined || last?.outcome === "running",
      ));
  return [
    ...holds.map(leftHoldLine).map(plainText),
    ...doubts.flatMap(doubtLines).map(plainText),
    ...mappings.map(plainText),
    ...limits.map(limitText),
    ...(silent === undefined ? [] : [[silent.text, silent.hint ?? "`sluice doctor`"].join(" → ")]),
    ...idle.map(plainText),
    ...behind.map(plainText),
    ...(isWorkerMissed
      ? [
          `no ${idle.length === 0 ? "" : "other "}worker runs, so nothing moves → ` +
            "`sluice worker`, or `sluice dev` on a laptop",
        ]
      : []),
  ];
}

/** The state of a project for a terminal. */
export function statusText(status: ProjectStatus): string {
  const { transfers, inboxes, workers, hosts } = status;
  return [
    transfers.length === 0
      ? "nothing is configured under `syncs:` or `pulls:`"
      : advisingTable([heading, ...transfers.map((each) => [...transferCells(each)])], {
          style: { outcome: styledOutcome },
        }),
    ...status.backfills.map(backfillText).map(plainText),
    ...(hosts > 1 ? [`${workers} workers on ${hosts} hosts`] : []),
    ...(inboxes.length === 0 ? [] : [inboxesText(inboxes)]),
    ...(status.service === "sandbox"
      ? ["records go to a sandbox on this machine, not to the service"]
      : []),
    ...remarkLines(status),
  ].join("\n");
}
