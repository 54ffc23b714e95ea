import type { Source } from "../../connectors/contract/connector.ts";
import type { SyncConfig } from "../../src/config/config.ts";
import { ConfigError } from "../../src/errors.ts";
import type { RejectLimit } from "../../src/pipeline/rejects.ts";
import type { Run } from "../../src/state/contract/runs/runs.ts";
import type { Dependencies } from "../dependencies.ts";
import { cannotReplay, replacesOlder } from "../stage/replay-pages.ts";

/**
 * Tells whether the rejects of a run can be read again and sent.
 * @param of the run that refused them, if it is in the store.
 * @throws {ConfigError} they cannot.
 */
export function assertReplayable(
  { sync, source, target }: { sync: SyncConfig; source: Source; target: string },
  of: Run | undefined,
): void {
  if (of?.sync !== sync.name) {
    throw new ConfigError(`sync ${sync.name} has no such run to replay the rejects of`, {
      field: "replay.run",
      hint: "look at `sluice runs list`",
    });
  }
  if (of.target !== target) {
    throw cannotReplay(`run ${of.runId} was for ${of.target}, and this would send to ${target}`);
  }
  if (source.get === undefined) throw cannotReplay(`${source.name} cannot read single rows`);
  // Without fingerprints nobody knows what the service took since, and older data must never overwrite newer.
  if (sync.send === "all" && replacesOlder(sync.stream)) {
    throw cannotReplay(`with \`send: all\` nothing says which rows were sent since`);
  }
}

/**
 * Lists the rejects that a replay reads again, and lets it begin at the first. To be called once the send
 * lock is held.
 */
export async function placeReplay(
  { state, target }: Pick<Dependencies, "state" | "target">,
  at: { readonly run: Run; readonly sync: SyncConfig; readonly source: Source },
): Promise<void> {
  const { run, sync, source } = at;
  const { runId } = run;
  const { replay } = run.request;
  const of = replay === undefined ? undefined : await state.run(replay.run);
  assertReplayable({ sync, source, target }, of);
  if (replay !== undefined) await state.listReplay({ runId, ...replay });
  const { version: checkpointVersion } = await state.checkpoint({ target, sync: sync.name });
  await state.setRunRange({ runId, checkpointVersion, from: null });
}

/**
 * How many rejects stop a run; none stop a replay, because what it reads was refused before, a resend,
 * because all of it was accepted before, or a drain, because others post what it reads.
 */
export function rejectLimitOf(
  { kind }: Pick<Run, "kind">,
  { rejectLimit }: Pick<SyncConfig, "rejectLimit">,
): RejectLimit {
  return kind === "replay" || kind === "resend" || kind === "inbox"
    ? { rate: 1, rows: 0 }
    : rejectLimit;
}
