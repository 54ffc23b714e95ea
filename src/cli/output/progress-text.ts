import type { Progress, PullProgress } from "../../../workflows/sync/progress.ts";
import { byteText, counted, durationText, grouped } from "../../text/quantities.ts";

const barWidth = 24;

/** The progress of a run when somebody began to watch it. What it did before says nothing about its speed. */
export type Since = { readonly read: number; readonly share: number; readonly elapsedMs: number };

function barText(share: number | undefined): string {
  if (share === undefined) return "";
  const bar = "█".repeat(Math.round(share * barWidth)).padEnd(barWidth, "░");
  return `${bar} ${Math.round(share * 100)} %  `;
}

/** Results of a pull so far. */
export function pullText({ read, written, pages, calls, domains }: PullProgress): string {
  const of =
    domains === undefined
      ? ""
      : `${grouped(domains.done + domains.refused)} of ${grouped(domains.listed)} domains, `;
  return (
    `${of}${grouped(read)} results read, ${grouped(written)} written, ${counted(pages, "page")}, ` +
    counted(calls, "call")
  );
}

/** The rows of the whole source, to two digits, estimated from those that were read. */
function wholeText(read: number, share: number | undefined): string {
  if (share === undefined || share < 0.02 || share >= 1 || read === 0) return "";
  return ` of ~${grouped(Number((read / share).toPrecision(2)))}`;
}

function leftText(share: number | undefined, since: Since): string {
  const done = (share ?? 0) - since.share;
  if (share === undefined || done < 0.02 || share >= 1) return "";
  return `, ${durationText((since.elapsedMs / done) * (1 - share))} left`;
}

/** The progress of a run in one line. Every row that was read counts, whether or not it is sent. */
export function progressText(
  { counts, pull, waiting }: Progress,
  share: number | undefined,
  since: Since,
): string {
  const wait = waiting === null ? "" : `  ${waiting}`;
  if (pull !== undefined) return `${barText(share)}${pullText(pull)}${wait}`;
  const { read, sent, unchanged, gzip_bytes: bytes } = counts;
  const rate = Math.round(((read - since.read) / Math.max(1, since.elapsedMs)) * 1_000);
  const isUnchanged = read > 0 && unchanged === read;
  const what = isUnchanged
    ? "all unchanged so far"
    : `${grouped(sent)} sent${bytes === 0 ? "" : ` (${byteText(bytes)})`}`;
  return (
    `${barText(share)}${grouped(read)}${wholeText(read, share)} rows read, ${grouped(rate)}/s, ${what}` +
    `${leftText(share, since)}${wait}`
  );
}
