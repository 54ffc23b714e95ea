import { z } from "zod";

import { ApiContractError } from "../../../errors.ts";
import { splitsPerRunMax } from "../../../limits.ts";
import { refusedAgain } from "../../../records/reject-codes.ts";
import { type RejectEntry } from "../../contract/rejects/rejects.ts";
import type { Receipt, ReceiptStore } from "../../contract/sends/receipts.ts";
import { type SplitStore } from "../../contract/sends/split.ts";
import type { StagingStore } from "../../contract/sends/stagings.ts";
import type { Ranges } from "../../ranges.ts";
import type { Database } from "../database.ts";
import { all, count } from "../database.ts";
import { createFingerprintSets, setOfRunSql } from "../keys/fingerprint-sets.ts";
import { isOfKeySql } from "../keys/key-functions.ts";
import type { Sightings } from "../keys/sightings.ts";
import { insertRejects } from "../rejects/rejects.ts";
import { createTakingOver } from "./commit.ts";
import { insertPart } from "./receipts.ts";
import { createRefusing } from "./refusals.ts";
import { createSentKeys } from "./sent-keys.ts";
import { superseded } from "./stagings.ts";

const thisStage = "run_id = $runId and chunk = $chunk and stage = $stage";

/** Closes a refused part and keeps its rejects; to be called inside a transaction. */
function createClosing(db: Database): (
  found: Receipt,
  how: {
    readonly state: "split" | "refused";
    readonly rejects: readonly RejectEntry[];
    readonly isTooLarge: boolean;
    readonly at: string;
  },
) => void {
  const close = db.prepare(
    `update receipts set state = $state, too_large = $tooLarge, updated_at = $at where ${thisStage} and part = $part`,
  );
  const countRepeated = db.prepare(
    "update runs set possibly_repeated = possibly_repeated + $records where run_id = $runId",
  );
  const countRejects = db.prepare(
    `update stagings set split_rejected = split_rejected + $rejected where ${thisStage}`,
  );
  // A refused record is unknown to the service: its key is sent again next time.
  const forget = db.prepare(
    `update fingerprints as f set send = 0 where ${isOfKeySql(setOfRunSql, "$key")}`,
  );
  // To send the same line again would bring the same answer.
  const lose = db.prepare(
    `update doubts set is_lost = 1 where key = $key and send is not null and set_id = ${setOfRunSql}`,
  );
  const addRejects = insertRejects(db);
  const refusing = createRefusing(db);
  return ({ runId, chunk, stage, part, ...found }, { state, rejects, isTooLarge, at }) => {
    const name = { runId, chunk, stage };
    const isInDoubt =
      found.state === "confirming" || (found.state === "sending" && found.form === "body");
    if (isInDoubt) countRepeated.run({ runId, records: found.records });
    close.run({ ...name, part, state, tooLarge: Number(isTooLarge), at });
    addRejects(name, rejects, at);
    countRejects.run({ ...name, rejected: rejects.length });
    for (const { key, code } of rejects) {
      if (key === undefined) continue;
      forget.run({ key, runId });
      if (code === refusedAgain) lose.run({ key, runId });
    }
    refusing.note(name, rejects, at);
  };
}

/** What of `records` is in none of `ranges`. */
function restOf(ranges: Ranges, records: number): Ranges {
  const rest: [number, number][] = [];
  let at = 0;
  for (const [from, to] of ranges.toSorted(([a], [b]) => a - b)) {
    if (from > at) rest.push([at, from]);
    at = to;
  }
  return at < records ? [...rest, [at, records]] : rest;
}

/** Whether nothing more becomes of a part: it was accepted, or replaced. */
function isClosed({ state }: Receipt): boolean {
  return state === "split" || state === "refused" || state === "accepted" || state === "committed";
}

/** What splits ask. */
type SplitTools = {
  readonly stagings: StagingStore;
  readonly receipts: ReceiptStore;
  readonly sightings: Sightings;
};

const idsRow = z.object({ id: z.int() });

/** Makes unknown what was not taken of a staging; to be called inside a transaction. */
function createForgetting(
  db: Database,
  sightings: Sightings,
): (of: { readonly runId: string; readonly send: number }, keys: readonly string[]) => void {
  const isOfKeys = `from json_each($keys) k cross join fingerprints f on ${isOfKeySql("$setId", "k.value")}`;
  const ids = db.prepare(`select f.id as id ${isOfKeys}`);
  // Of a key that was sent twice the number is negative, and 0 of what was refused.
  const forget = db.prepare(
    `update fingerprints set send = 0
     where (set_id, number, tag) in (select f.set_id, f.number, f.tag ${isOfKeys} where abs(f.send) = $send)`,
  );
  const sets = createFingerprintSets(db);
  return ({ runId, send }, keys) => {
    const asked = { setId: sets.idOfRun(runId), keys: JSON.stringify(keys) };
    // What was not taken was not seen either: no later run need come by its row.
    sightings.unsee(send, new Set(all(idsRow, ids, asked).map(({ id }) => id)));
    forget.run({ ...asked, send });
  };
}

function createCutting(
  db: Database,
  { stagings, receipts, sightings }: SplitTools,
): SplitStore["cutChunk"] {
  const settleReceipts = db.prepare(
    `update receipts set state = 'committed', updated_at = $at where ${thisStage} and state = 'accepted'`,
  );
  const cut = db.prepare(
    `update stagings set state = 'cut', committed_at = $cutAt, records = records - $left, rows_read = rows_read - $left
     where send = $send`,
  );
  const forget = createForgetting(db, sightings);
  const close = createClosing(db);
  const takeOver = createTakingOver(db);
  const sentKeys = createSentKeys(db);
  return ({ rejects, at, ...name }) =>
    db.write(() => {
      const part = receipts.receipt(name);
      const send = stagings.staging(name);
      if (send?.state === "cut") return;
      if (part === undefined || send?.state !== "staged") throw superseded(name);
      if (!isClosed(part)) close(part, { state: "refused", rejects, isTooLarge: false, at });
      const accepted = receipts
        .receipts(name)
        .filter(({ state }) => state === "accepted")
        .flatMap(({ ranges }) => ranges);
      const rest = restOf(accepted, send.records);
      const keys = sentKeys.of(send.send, rest).map(([key]) => key);
      forget(send, keys);
      takeOver(send);
      const { runId, chunk, stage } = name;
      settleReceipts.run({ runId, chunk, stage, at });
      const { splitRejected = 0 } = stagings.staging(name) ?? {};
      const left = rest.reduce((sum, [from, to]) => sum + to - from, 0) - splitRejected;
      cut.run({ send: send.send, left, cutAt: Date.parse(at) });
    });
}

const partRow = z.object({ part: z.int() });

/** The splits of a SQLite store. */
export function createSplitStore(db: Database, tools: SplitTools): SplitStore {
  const { receipts } = tools;
  const children = db.prepare(
    `select part from receipts where ${thisStage} and parent = $part order by part`,
  );
  const countSplits = db.prepare(
    "update runs set splits = splits + $splits where run_id = $runId returning splits",
  );
  const isStaged = db.prepare(
    `select count(*) from stagings where ${thisStage} and state in ('staged', 'committed')`,
  );
  const addPart = insertPart(db);
  const close = createClosing(db);

  const splitPart: SplitStore["splitPart"] = ({ parts, rejects, host, at, ...input }) =>
    db.write(() => {
      const { isTooLarge, splitsMax = splitsPerRunMax, ...name } = input;
      const found = receipts.receipt(name);
      const { runId, chunk, stage, part: parent } = name;
      if (found === undefined || count(isStaged, { runId, chunk, stage }) !== 1) {
        throw superseded(name);
      }
      // An attempt that was thought dead got it through after all.
      if (found.state === "accepted" || found.state === "committed") return { parts: [] };
      if (found.state !== "split" && found.state !== "refused") {
        // What is too large says nothing of the mapping, and is cut no more often than its size asks for.
        const splits = isTooLarge ? 0 : parts.length;
        if (count(countSplits, { runId, splits }) > splitsMax) {
          throw new ApiContractError(
            `the service refused records in so many uploads that more than ${splitsMax} extra ones were needed: ` +
              "what it accepted is known, and what it refused is left out by the next run",
            {
              hint: "run again: it continues from there; `sluice rejects list` shows what was refused",
            },
          );
        }
        close(found, { state: parts.length > 0 ? "split" : "refused", rejects, isTooLarge, at });
        for (const part of parts) {
          addPart({ runId, chunk, stage, ...part, parent, form: found.form, host, at });
        }
      }
      return { parts: all(partRow, children, name).map(({ part }) => part) };
    });
  return { splitPart, cutChunk: createCutting(db, tools) };
}
