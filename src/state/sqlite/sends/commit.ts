import { z } from "zod";

import { CheckpointMovedError, NotBalancedError } from "../../../errors.ts";
import { chunkName, laneOf } from "../../../lane-of.ts";
import { jsonColumn } from "../../contract/json-column.ts";
import { type CommitStore } from "../../contract/sends/commit.ts";
import type { Staging, StagingStore } from "../../contract/sends/stagings.ts";
import { ranges } from "../../ranges.ts";
import { toJson } from "../../store/json.ts";
import type { Database } from "../database.ts";
import { all, count } from "../database.ts";
import { createDoubts } from "../doubts/doubts.ts";
import { createFingerprintSets } from "../keys/fingerprint-sets.ts";
import { createMappingNotes } from "../keys/mappings.ts";
import { createReplayedMarking } from "../rejects/replays.ts";
import { createRefusing } from "./refusals.ts";
import { superseded } from "./stagings.ts";

/** Moves the checkpoint after a chunk of a run that reads on from it; a replay marks the rejects that it took. */
function createSaving(db: Database): (send: Staging, at: string) => void {
  const makeCheckpoint = db.prepare(
    `insert or ignore into checkpoints (target, sync, version, updated_at)
     select target, sync, 0, $at from runs where run_id = $runId`,
  );
  const moveCheckpoint = db.prepare(
    `update checkpoints set version = version + 1, position = $position, oldest_open = o, run_id = $runId,
       updated_at = $at
     from (select target as t, sync as s, checkpoint_version as v, oldest_open as o from runs where run_id = $runId)
     where target = t and sync = s and version = v`,
  );
  const moveRun = db.prepare(
    "update runs set checkpoint_version = checkpoint_version + 1 where run_id = $runId",
  );
  const kindOf = db.prepare("select kind from runs where run_id = $runId");
  const markReplayed = createReplayedMarking(db);

  return ({ runId, chunk, from, to }, at) => {
    const kind = kindOf.get({ runId })?.["kind"];
    if (kind === "replay") markReplayed({ runId, from: Number(from), to: Number(to) });
    if (kind === "replay" || kind === "backfill" || kind === "resend") return;
    makeCheckpoint.run({ runId, at });
    if (moveCheckpoint.run({ runId, at, position: toJson(to) }).changes !== 1) {
      throw new CheckpointMovedError(
        `run ${runId}: the checkpoint moved since this run began; ${chunkName(chunk)} was accepted and is not ` +
          "covered by it",
        { hint: "look at `sluice state show`, then run the sync again" },
      );
    }
    moveRun.run({ runId });
  };
}

const acceptedRow = z.object({
  ranges: jsonColumn.pipe(ranges),
  landing: jsonColumn.pipe(z.array(z.int())),
});

/**
 * Takes over what was in doubt and has been sent again, notes the mapping that made it, and forgets keys that
 * nobody asks for any more; to be called inside a transaction.
 */
export function createTakingOver(db: Database): (send: Staging) => void {
  const sets = createFingerprintSets(db);
  const accepted = db.prepare(
    "select ranges, landing from receipts where run_id = $runId and chunk = $chunk and stage = $stage and " +
      "state = 'accepted'",
  );
  const countRepeated = db.prepare(
    "update runs set possibly_repeated = possibly_repeated + $repeated where run_id = $runId",
  );
  const isStray = db.prepare(
    "select count(*) from (select 1 from stray_keys where set_id = $setId limit 1)",
  );
  const findStray = db.prepare(
    `delete from stray_keys where set_id = $setId and key in (
       select value from json_each((select keys from sent_keys where send = $send)))`,
  );
  const forgetKeys = db.prepare(
    "delete from sent_keys where send = $send and not exists (select 1 from requests where set_id = $setId)",
  );
  const doubts = createDoubts(db);
  const noteMapping = createMappingNotes(db);
  return ({ send, runId, chunk, stage }) => {
    const setId = sets.idOfRun(runId);
    const parts = all(acceptedRow, accepted, { runId, chunk, stage });
    const { repeated } = doubts.commit({ setId, send, accepted: parts });
    if (repeated > 0) countRepeated.run({ runId, repeated });
    if (count(isStray, { setId }) > 0) findStray.run({ send, setId });
    noteMapping({ setId, send });
    forgetKeys.run({ send, setId });
  };
}

/** The commits of a SQLite store. */
export function createCommitStore(db: Database, stagings: StagingStore): CommitStore {
  const isCommitted = db.prepare(
    "select count(*) from stagings where run_id = $runId and chunk = $before and state = 'committed'",
  );
  const accepted = db.prepare(
    `select sum(records) from receipts
     where run_id = $runId and chunk = $chunk and stage = $stage and state = 'accepted'`,
  );
  const open = db.prepare(
    `select count(*) from receipts where run_id = $runId and chunk = $chunk and stage = $stage
       and state not in ('accepted', 'refused', 'split')`,
  );
  const settleReceipts = db.prepare(
    `update receipts set state = 'committed', updated_at = $at
     where run_id = $runId and chunk = $chunk and stage = $stage and state = 'accepted'`,
  );
  const settleSend = db.prepare(
    "update stagings set state = 'committed', committed_at = $committedAt where send = $send",
  );
  const save = createSaving(db);
  const takeOver = createTakingOver(db);
  const refusing = createRefusing(db);
  const commitChunk: CommitStore["commitChunk"] = (input) =>
    db.write(() => {
      const { runId, chunk, at } = input;
      const found = stagings.staging(input);
      if (found?.state === "committed") return;
      if (found?.state !== "staged") throw superseded(input);
      const numbers = { accepted: count(accepted, input), open: count(open, input) };
      const isWhole = numbers.accepted + found.splitRejected === found.records;
      const isInOrder =
        laneOf(chunk).isFirst || count(isCommitted, { runId, before: chunk - 1 }) === 1;
      if (numbers.open > 0 || !isWhole || !isInOrder) {
        throw new NotBalancedError(
          `run ${runId}, ${chunkName(chunk)}: ${numbers.accepted} accepted and ${found.splitRejected} refused of ` +
            `${found.records} records, ${numbers.open} parts ` +
            `open${isInOrder ? "" : ", the chunk before is not committed"}: ` +
            "no checkpoint is saved",
        );
      }
      save(found, at);
      refusing.forget(found);
      takeOver(found);
      settleReceipts.run(input);
      settleSend.run({ committedAt: Date.parse(at), send: found.send });
    });
  return { commitChunk };
}
