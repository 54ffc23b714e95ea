import { assertSameAccount, assertSameSource, holderOf } from "../../connectors/identities.ts";
import { readRequestOf, checkWriteBack, connectorOf } from "../../connectors/source.ts";
import type { PullConfig } from "../../src/config/schema/pull.ts";
import { BusyError, ConfigError } from "../../src/errors.ts";
import { assertMaySend } from "../../src/service/key-limits.ts";
import { currentKey } from "../../src/service/rotating-key.ts";
import { pullLock } from "../../src/state/contract/pull/pulls.ts";
import { attempt } from "../attempt.ts";
import {
  assertNotEnded,
  assertSameTarget,
  isoNow,
  pullOf,
  type Dependencies,
} from "../dependencies.ts";
import { warnOfMissedRuns } from "../run/missed-runs.ts";
import { takeRunLock } from "../run/take-lock.ts";
import type { OpenedPull, OpenPullInput, PullSettings } from "./inputs.ts";

/** @throws {ConfigError} the pull belongs to the other workflow. */
function assertReads({ name, domainsFrom }: PullConfig, reads: OpenPullInput["walks"]): void {
  const own = domainsFrom === undefined ? "search" : "domains";
  if (own === reads) return;
  const [is, workflow] =
    own === "search" ? ["a search", "searchPull"] : ["of job postings", "jobPostingsPull"];
  throw new ConfigError(`pull ${name} is ${is}, which this workflow does not pull`, {
    field: `pulls.${name}`,
    hint: `start the workflow ${workflow}, or \`sluice pull ${name}\``,
  });
}

function settingsOf({ config }: Dependencies): PullSettings {
  const { chunksPerRun, heartbeatTimeoutMs, retryInitialMs, retryMaxMs } = config.advanced;
  const { searchAttribute } = config.temporal;
  return {
    stepsPerRun: chunksPerRun,
    heartbeatTimeoutMs,
    retryInitialMs,
    retryMaxMs,
    searchAttribute,
  };
}

/**
 * Compares the account and the write-back with those of the round that continues; a round that begins takes what it
 * finds.
 * @throws {ConfigError} one of them differs: half of the results would be in one place, and half in the other.
 */
async function assertSameRound(
  deps: Dependencies,
  { pull, isAnew }: { readonly pull: PullConfig; readonly isAnew: boolean },
  signal: AbortSignal,
): Promise<void> {
  const { name, writeBack } = pull;
  const place = await deps.state.pullPlace({ target: deps.target, pull: name });
  const isFresh = isAnew || place === undefined || place.isDone || place.steps === 0;
  const trust = { isFresh, isKept: true };
  const holder = holderOf(deps, { kind: "pull", name, at: isoNow(deps) });
  // A page that waits to be written belongs to its account, wherever it is written.
  const ofAccount = { ...trust, isFresh: isFresh && (isAnew || (place?.page ?? null) === null) };
  await assertSameAccount(holder, deps.config.api, ofAccount);
  const source = connectorOf(deps, writeBack.connector);
  const asked = {
    source,
    connection: writeBack.connection,
    request: readRequestOf(writeBack, signal),
  };
  await assertSameSource(holder, { ...asked, position: null }, trust);
}

/**
 * Opens a run of a pull: takes its lock, and continues its round or begins one. Twice is once: the run is stored by its
 * id, it gets its own lock again, and a round that it began is not begun anew.
 */
export function createOpenPull(deps: Dependencies): (input: OpenPullInput) => Promise<OpenedPull> {
  return async ({ walks: reads, ...input }) =>
    await attempt(async ({ signal }) => {
      const { state, target } = deps;
      const pull = pullOf(deps, input.pull);
      assertReads(pull, reads);
      const { name, configHash, queryHash, writeHash } = pull;
      const { runId, workflowId, firstRunId, nominalAt, request } = input;
      const by = { runId, kind: "pull", workflowId, firstRunId } as const;
      const opened = await state.openRun({
        ...by,
        sync: name,
        target,
        temporalId: deps.temporalId,
        configHash,
        nominalAt,
        request,
        startedAt: isoNow(deps),
      });
      if (opened.firstRunId !== firstRunId) {
        throw new BusyError(`run ${runId} belongs to workflow ${opened.workflowId}`);
      }
      assertNotEnded(opened);
      assertSameTarget(deps, opened);
      const lock = { name: pullLock(target, name), what: `pull ${name} is being done` };
      const fence = await takeRunLock(deps, { ...by, ...lock });
      await assertSameRound(deps, { pull, isAnew: request.full === true }, signal);
      await warnOfMissedRuns(deps, opened, pull.schedule);
      await state.beginPull({
        target,
        pull: name,
        runId,
        configHash,
        queryHash,
        writeHash,
        anew: request.full === true,
        hasDomains: pull.domainsFrom !== undefined,
      });
      // A missing table is reported before the first call is paid for.
      await checkWriteBack(deps, pull, signal);
      const family = "search";
      await assertMaySend(state, await currentKey(deps.config.api), { ...deps.clock(), family });
      deps.log.info({ run: runId, pull: name, workflow: workflowId }, "run opened");
      return { runId, storeId: state.storeId, configHash, fence, settings: settingsOf(deps) };
    });
}
