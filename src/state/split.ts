import { z } from "zod";

import { ApiContractError } from "../errors.ts";
import { splitsPerRunMax } from "../limits.ts";
import type { Database } from "./database.ts";
import { all, count } from "./database.ts";
import type { NewPart, PartName, ReceiptStore } from "./receipts.ts";
import { insertPart } from "./receipts.ts";
import type { RejectEntry } from "./rejects.ts";
import { insertRejects } from "./rejects.ts";
import { superseded } from "./sends.ts";

/** Splits: what becomes of a part that the service refused. */
export interface SplitStore {
  /**
   * Replaces a refused part by new ones; what is in none of them is rejected. The records of a part that was perhaps accepted
   * count as possibly repeated. Called again it answers what the first call made.
   * @throws {ApiContractError} the run was split more often than `splitsPerRunMax`.
   */
  splitPart(
    input: PartName & {
      readonly parts: readonly NewPart[];
      readonly rejects: readonly RejectEntry[];
      /** Whether parts of this run that are not smaller need not be tried. */
      readonly isTooLarge: boolean;
      readonly host: string;
      readonly at: string;
    },
  ): { readonly parts: number[] };
}

/** The splits of a SQLite store. */
export function createSplitStore(db: Database, receipts: ReceiptStore): SplitStore {
  const thisStage = "run_id = $runId and chunk = $chunk and stage = $stage";
  const children = db.prepare(
    `select part from receipts where ${thisStage} and parent = $part order by part`,
  );
  const close = db.prepare(
    `update receipts set state = $state, too_large = $tooLarge, updated_at = $at where ${thisStage} and part = $part`,
  );
  const countSplits = db.prepare(
    "update runs set splits = splits + $splits where run_id = $runId returning splits",
  );
  const countRepeated = db.prepare(
    "update runs set possibly_repeated = possibly_repeated + $records where run_id = $runId",
  );
  const countRejects = db.prepare(
    `update sends set split_rejected = split_rejected + $rejected where ${thisStage}`,
  );
  // A refused record is unknown to the service: its key is sent again next time.
  const forget = db.prepare(
    `update fingerprints set send = 0 where key = $key and set_id in (
       select f.id from fingerprint_sets f join runs r using (target, sync) where r.run_id = $runId)`,
  );
  const isStaged = db.prepare(
    `select count(*) from sends where ${thisStage} and state in ('staged', 'committed')`,
  );
  const addRejects = insertRejects(db);
  const addPart = insertPart(db);

  const splitPart: SplitStore["splitPart"] = ({ parts, rejects, isTooLarge, host, at, ...name }) =>
    db.write(() => {
      const found = receipts.receipt(name);
      if (found === undefined || count(isStaged, name) !== 1) throw superseded(name);
      // An attempt that was thought dead got it through after all.
      if (found.state === "accepted" || found.state === "committed") return { parts: [] };
      if (found.state !== "split" && found.state !== "refused") {
        // What is too large says nothing of the mapping, and is cut no more often than its size asks for.
        const splits = isTooLarge ? 0 : parts.length;
        if (count(countSplits, { runId: name.runId, splits }) > splitsPerRunMax) {
          throw new ApiContractError(
            `the service refused records in so many uploads that more than ${splitsPerRunMax} extra ones were needed`,
            { hint: "look at `sluice rejects list`, mend the mapping and run again" },
          );
        }
        const isInDoubt =
          found.state === "confirming" || (found.state === "sending" && found.form === "body");
        if (isInDoubt) countRepeated.run({ runId: name.runId, records: found.records });
        const state = parts.length > 0 ? "split" : "refused";
        close.run({ ...name, state, tooLarge: Number(isTooLarge), at });
        const { runId, chunk, stage, part: parent } = name;
        for (const part of parts) {
          addPart({ runId, chunk, stage, ...part, parent, form: found.form, host, at });
        }
        addRejects({ runId, chunk, stage }, rejects, at);
        countRejects.run({ ...name, rejected: rejects.length });
        for (const { key } of rejects) if (key !== undefined) forget.run({ key, runId });
      }
      return { parts: all(z.object({ part: z.int() }), children, name).map(({ part }) => part) };
    });
  return { splitPart };
}
