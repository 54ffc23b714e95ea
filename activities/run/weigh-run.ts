import { CheckpointMovedError, StagedFileMissingError } from "../../src/errors.ts";
import { type Broken, brokenGuardrails, weighedOf } from "../../src/guardrails/guardrails.ts";
import { readBefore } from "../../src/guardrails/last-completed.ts";
import { reportOfRun } from "../../src/report/of-run.ts";
import { isLine } from "../../src/report/report.ts";
import type { Hold } from "../../src/state/contract/runs/holds.ts";
import type { Run } from "../../src/state/contract/runs/runs.ts";
import type { Tally } from "../../src/state/contract/runs/tally.ts";
import type { ChangeExample } from "../../src/state/contract/sends/changes.ts";
import { attempt } from "../attempt.ts";
import { isoNow, runOf, syncOf, type Dependencies } from "../dependencies.ts";
import type { RunRef, StageResult } from "../inputs.ts";
import { announceRun } from "../notify/announce-run.ts";
import { stageResultOf } from "../stage/stage-result.ts";
import { isWholeReading } from "./whole-reading.ts";

/** Which records each guardrail counts. */
const exampleKindsOf: Readonly<Record<string, readonly ChangeExample["kind"][]>> = {
  changed_above: ["changed", "unknown"],
  new_above: ["new"],
  field_changed_above: ["changed"],
};

/** Places of the first records that broken guardrails count, if they are lines of files. */
function examplesOf(broken: readonly Broken[], { changes }: Tally): NonNullable<Hold["examples"]> {
  const kinds = broken.flatMap(
    ({ guardrail }) => exampleKindsOf[guardrail.replace(/\..*/s, "")] ?? [],
  );
  return (changes?.examples ?? []).flatMap(({ kind, place }) =>
    place !== null && kinds.includes(kind) && isLine(place) ? [{ kind, place }] : [],
  );
}

/** The hold of a run that breaks guardrails, or differs from what was held before; undefined where nothing holds it. */
async function holdOf(deps: Dependencies, run: Run): Promise<Hold | undefined> {
  const { state } = deps;
  const { runId, hold: before } = run;
  const digest = await state.stagedDigest({ runId });
  if (before?.digest === digest) return before.approvedAt === null ? before : undefined;
  const { holdIf } = syncOf(deps, run.sync);
  const tally = await state.tally({ runId, staged: true });
  // For a run with a row limit, fewer rows mean nothing.
  const readsAll = run.request.limit === undefined;
  const broken =
    holdIf === undefined
      ? []
      : brokenGuardrails(
          readsAll ? holdIf : { ...holdIf, rowsBelow: undefined },
          weighedOf(tally, {
            gone: isWholeReading(deps, run) ? await state.countVanished({ runId }) : undefined,
            isFirst: run.checkpointBefore === 0,
            readBefore: await readBefore(deps, run),
          }),
        );
  if (broken.length === 0 && before === null) return undefined;
  const number = (before?.number ?? 0) + 1;
  const examples = examplesOf(broken, tally);
  return { number, digest, since: isoNow(deps), broken, examples, approvedAt: null };
}

/**
 * Compares what a run has staged with the guardrails of its sync, before any of it leaves. Returns the hold, or null
 * where nothing holds it. An approved staging that has not changed is not held again. Twice is once: the same staging
 * has the same hold.
 */
export function createWeighRun(deps: Dependencies): (ref: RunRef) => Promise<Hold | null> {
  const { state } = deps;
  return async (ref) =>
    await attempt(async () => {
      const run = await runOf(deps, ref);
      const { runId } = run;
      const hold = await holdOf(deps, run);
      if (hold === undefined) return null;
      await state.setHold({ runId, hold });
      deps.log.info({ run: runId, sync: run.sync, hold: hold.number }, "run held");
      await announceRun(deps, await reportOfRun(state, (await state.run(runId)) ?? run));
      return hold;
    });
}

/**
 * Notes that a hold was approved.
 * @throws {CheckpointMovedError} the checkpoint is no longer where the staged chunks begin.
 */
export function createApproveHold(
  deps: Dependencies,
): (input: RunRef & { readonly number: number }) => Promise<object> {
  const { state } = deps;
  return async ({ number, ...ref }) =>
    await attempt(async () => {
      const { runId, sync, target, hold, checkpointVersion } = await runOf(deps, ref);
      const { version } = await state.checkpoint({ target, sync });
      if (version !== checkpointVersion) {
        throw new CheckpointMovedError(
          `run ${runId}: the checkpoint moved while the run was held: its staged chunks begin elsewhere`,
          { hint: "run the sync again: it continues from the checkpoint" },
        );
      }
      if (hold?.number === number) {
        const approvedAt = hold.approvedAt ?? isoNow(deps);
        await state.setHold({ runId, hold: { ...hold, approvedAt } });
      }
      return {};
    });
}

/**
 * The result of staging, for a chunk that was staged before.
 * @throws {StagedFileMissingError} its staging was abandoned meanwhile.
 */
export function createStagedChunk(
  deps: Dependencies,
): (input: RunRef & { readonly chunk: number }) => Promise<StageResult> {
  return async ({ chunk, ...ref }) =>
    await attempt(async () => {
      const { runId } = await runOf(deps, ref);
      const found = await deps.state.newestStaging({ runId, chunk });
      if (found?.state === "staged" || found?.state === "committed") return stageResultOf(found);
      throw new StagedFileMissingError(`run ${runId}, chunk ${chunk} is not staged any more`);
    });
}
