import { workflowInfo } from "@temporalio/workflow";

import type { OpenedRun, OpenRunInput } from "../../activities/inputs.ts";
import type { ChosenMode } from "../../src/text/choose-mode.ts";
import { endingOf, type Ending } from "../ending.ts";
import { Waits } from "../failures.ts";
import { activitiesOf, openRun } from "../policies.ts";
import { Consent } from "./consent.ts";
import { noCounts, withCommitted, withoutStaged, withStaged, type Progress } from "./progress.ts";
import { nameInSearch, type RunView } from "./run-view.ts";
import { cleanUp } from "./send-chunk.ts";
import type { ContinuedRun } from "./sync-input.ts";
import { transferBatch } from "./transfer.ts";

/** A run of a sync, whichever workflow makes it. */
export type Batch = {
  readonly view: RunView;
  /** The rest of the input of `openRun`, besides the run, its sync and the workflow. */
  readonly wanted: Pick<OpenRunInput, "kind" | "nominalAt" | "request">;
  /** The run that an earlier execution began. */
  readonly continued: ContinuedRun | undefined;
};

/** How a stretch of a run ended: the next execution continues it, or it is closed. */
export type BatchEnd =
  | { readonly kind: "continue"; readonly continued: ContinuedRun }
  | ({ readonly kind: "close" } & Ending);

/** The progress of a run before it reads anything. */
export function progressOf(
  runId: string,
  sync: string,
  continued: ContinuedRun | undefined,
): Progress {
  return {
    run_id: runId,
    sync,
    mode: continued?.mode?.mode ?? null,
    mode_reason: continued?.mode?.reason ?? null,
    counts: { ...noCounts, ...continued?.counts },
    waiting: null,
    report: null,
  };
}

/** Opens the run, or continues the one of an earlier execution. */
async function open({ view, wanted, continued }: Batch): Promise<OpenedRun> {
  if (continued !== undefined) return continued.opened;
  const { workflowId, firstExecutionRunId: firstRunId } = workflowInfo();
  const { run_id: runId, sync } = view.progress;
  return await openRun({ sync, ...wanted, runId, workflowId, firstRunId });
}

/** Transfers until the source ends or it is time to continue as new; calls `onOpened` if the run changes its host. */
async function transfer(
  { view, continued }: Batch,
  from: OpenedRun,
  onOpened: (opened: OpenedRun) => void,
): Promise<BatchEnd> {
  const waits = new Waits();
  let mode: ChosenMode | undefined = continued?.mode;
  const isWeighed = from.settings.consentMs !== undefined;
  const consent = isWeighed ? new Consent(view) : undefined;
  let committed = continued?.weighed?.committed ?? noCounts;
  const { kind, place } = await transferBatch(
    {
      onMode: (chosen) => {
        mode = chosen;
        view.update({ mode: chosen.mode, mode_reason: chosen.reason });
      },
      onStaged: (staged) => view.update({ counts: withStaged(view.progress.counts, staged) }),
      onCommitted: (staged) => {
        committed = withCommitted(withStaged(committed, staged), staged);
        view.update({ counts: withCommitted(view.progress.counts, staged) });
      },
      onRestage: (dropped) => {
        // A run that was staged whole stages everything again that is not committed.
        const counts = isWeighed ? committed : dropped.reduce(withoutStaged, view.progress.counts);
        view.update({ counts });
      },
      toSend: consent === undefined ? undefined : async (opened) => await consent.toSend(opened),
      onPlace: ({ opened }) => onOpened(opened),
      waiting: (call, why) => {
        waits.note(call, why);
        if (waits.shown !== view.progress.waiting) view.update({ waiting: waits.shown });
      },
    },
    {
      opened: from,
      chunk: continued?.chunk ?? 1,
      mode,
      phase: isWeighed ? (continued?.weighed?.phase ?? "stage") : undefined,
      firstStaged: continued?.weighed?.first_staged,
    },
  );
  const { run_id, counts } = view.progress;
  const { opened, chunk, phase, firstStaged: first_staged } = place;
  if (kind === "discard") await cleanUp(activitiesOf(opened), { runId: run_id });
  if (kind !== "continue") {
    return { kind: "close", closing: { outcome: kind === "done" ? "done" : "discarded", mode } };
  }
  const weighed = phase === undefined ? undefined : { phase, first_staged, committed };
  return { kind: "continue", continued: { run_id, chunk, mode, opened, counts, weighed } };
}

/**
 * Makes a run: opens it, and stages and sends chunk after chunk with the checkpoint after each. It never throws: the
 * result says what ended it early, and the caller closes the run.
 */
export async function runBatch(batch: Batch): Promise<BatchEnd> {
  const { view } = batch;
  let opened: OpenedRun | undefined;
  try {
    opened = await open(batch);
    if (opened.settings.searchAttribute) nameInSearch(view.progress.sync);
    return await transfer(batch, opened, (moved) => {
      opened = moved;
    });
  } catch (error) {
    const { run_id: runId, mode, mode_reason } = view.progress;
    if (opened !== undefined) await cleanUp(activitiesOf(opened), { runId });
    const chosen = mode === null ? undefined : { mode, reason: mode_reason ?? "" };
    const { closing, cause } = endingOf(error);
    return { kind: "close", closing: { ...closing, mode: chosen }, cause };
  }
}
