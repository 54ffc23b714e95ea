import { ApiContractError } from "../../../errors.ts";
import { splitsPerRunMax } from "../../../limits.ts";
import { refusedAgain } from "../../../records/reject-codes.ts";
import type { Remote } from "../../../thread.ts";
import type { RejectEntry } from "../../contract/rejects/rejects.ts";
import type { PartName, Receipt } from "../../contract/sends/receipts.ts";
import type { SplitStore } from "../../contract/sends/split.ts";
import type { StageName } from "../../contract/sends/stagings.ts";
import type { Ranges } from "../../ranges.ts";
import { setIdOfRun } from "../keys/fingerprint-sets.ts";
import type { KeyKeeping } from "../keys/key-keeping.ts";
import { writes } from "../methods.ts";
import { insertRejects } from "../rejects/insert-rejects.ts";
import { reopenSuperseded } from "../rejects/replays.ts";
import type { Queries, StateDatabase } from "../state-database.ts";
import { type CommitTools, settleReceipts, takeOver } from "./commit.ts";
import { isOfStage, isPart, superseded } from "./named.ts";
import { countRepeated, insertPart, receiptOf, receiptsOf } from "./receipts.ts";
import { noteRefusals } from "./refusals.ts";
import { holdStaged, stagingOf } from "./stagings.ts";

/** How a refused part is closed. */
type Closing = {
  readonly keys: KeyKeeping;
  readonly state: "split" | "refused";
  readonly rejects: readonly RejectEntry[];
  readonly isTooLarge: boolean;
  readonly at: string;
};

/** Closes a refused part and keeps its rejects; to be called inside a transaction. */
async function close(
  queries: Queries,
  part: Receipt,
  { keys, state, rejects, isTooLarge, at }: Closing,
): Promise<void> {
  const { runId, chunk, stage, records } = part;
  const name = { runId, chunk, stage };
  const isInDoubt =
    part.state === "confirming" || (part.state === "sending" && part.form === "body");
  if (isInDoubt) await countRepeated(queries, { runId, records });
  await queries
    .updateTable("receipts")
    .set({ state, tooLarge: Number(isTooLarge), updatedAt: at })
    .where(isPart(part))
    .execute();
  await insertRejects(queries, { ...name, rejects, at });
  await queries
    .updateTable("stagings")
    .set((staging) => ({ splitRejected: staging("splitRejected", "+", rejects.length) }))
    .where(isOfStage(name))
    .execute();
  await keys.refuse(
    queries,
    name,
    rejects.flatMap(({ key }) => key ?? []),
  );
  await loseRefusedAgain(queries, runId, rejects);
  await noteRefusals(queries, { ...name, rejects, at });
}

/** Marks lines that were refused again as lost: sending the same line once more would bring the same answer. */
async function loseRefusedAgain(
  queries: Queries,
  runId: string,
  rejects: readonly RejectEntry[],
): Promise<void> {
  const setId = await setIdOfRun(queries, runId);
  for (const { key, code } of rejects) {
    if (key === undefined || code !== refusedAgain) continue;
    await queries
      .updateTable("doubts")
      .set({ isLost: 1 })
      .where("setId", "=", setId)
      .where("key", "=", key)
      .where("send", "is not", null)
      .execute();
  }
}

/** The ranges of `records` that are in none of `ranges`. */
function restOf(ranges: Ranges, records: number): Ranges {
  const rest: [number, number][] = [];
  let at = 0;
  for (const [from, to] of ranges.toSorted(([a], [b]) => a - b)) {
    if (from > at) rest.push([at, from]);
    at = to;
  }
  return at < records ? [...rest, [at, records]] : rest;
}

/** Whether a part is finished: it was accepted, refused or replaced. */
function isClosed({ state }: Receipt): boolean {
  return state === "split" || state === "refused" || state === "accepted" || state === "committed";
}

function cutChunk({ keys, sentKeys }: CommitTools) {
  return async (
    queries: Queries,
    { rejects, at, ...name }: Parameters<SplitStore["cutChunk"]>[0],
  ): Promise<void> => {
    const part = await receiptOf(queries, name);
    const send = await stagingOf(queries, name);
    if (send?.state === "cut") return;
    if (part === undefined || send?.state !== "staged") throw superseded(name);
    if (!isClosed(part)) {
      await close(queries, part, { keys, state: "refused", rejects, isTooLarge: false, at });
    }
    const receipts = await receiptsOf(queries, name);
    const accepted = receipts
      .filter(({ state }) => state === "accepted")
      .flatMap(({ ranges }) => ranges);
    const rest = restOf(accepted, send.records);
    const left = await sentKeys.of(queries, send.send, rest);
    await keys.forget(
      queries,
      { runId: name.runId, send: send.send },
      left.map(([key]) => key),
    );
    await takeOver(queries, sentKeys, { ...send, isCut: true });
    await settleReceipts(queries, name, at);
    const { splitRejected = 0 } = (await stagingOf(queries, name)) ?? {};
    const missing = rest.reduce((sum, [from, to]) => sum + to - from, 0) - splitRejected;
    await queries
      .updateTable("stagings")
      .set((staging) => ({
        state: "cut",
        committedAt: Date.parse(at),
        records: staging("records", "-", missing),
        rowsRead: staging("rowsRead", "-", missing),
      }))
      .where("send", "=", send.send)
      .execute();
    await reopenSuperseded(queries, name.runId);
    await keys.end(queries, { runId: name.runId, send: send.send });
  };
}

/** Cuts a chunk once its keys are written: the keys of the rest then become unknown. */
function createCutting(db: StateDatabase, tools: CommitTools): Remote<SplitStore>["cutChunk"] {
  const cut = cutChunk(tools);
  return async ({ rejects, at, ...name }) => {
    const found = await stagingOf(db.queries, name);
    const of = { runId: name.runId, send: found?.send ?? 0 };
    await db.writeParts(await tools.keys.steps(db.queries, of), async (queries, write) => {
      if (await holdStaged(queries, name)) await write(queries);
    });
    await db.write(async (queries) => await cut(queries, { rejects, at, ...name }));
  };
}

/** Counts splits of a run. @throws {ApiContractError} there are too many. */
async function countSplits(
  queries: Queries,
  { runId, splits, splitsMax }: { runId: string; splits: number; splitsMax: number },
): Promise<void> {
  const run = await queries
    .updateTable("runs")
    .set((counted) => ({ splits: counted("splits", "+", splits) }))
    .where("runId", "=", runId)
    .returning("splits")
    .executeTakeFirst();
  if ((run?.splits ?? 0) <= splitsMax) return;
  throw new ApiContractError(
    `the service refused records in so many uploads that more than ${splitsMax} extra ones were needed: ` +
      "the records that it accepted are known, and the next run leaves out those that it refused",
    {
      hint: "run again: it continues from there; `sluice rejects list` shows what was refused",
    },
  );
}

async function childrenOf(queries: Queries, name: PartName): Promise<number[]> {
  const found = await queries
    .selectFrom("receipts")
    .select("part")
    .where(isOfStage(name))
    .where("parent", "=", name.part)
    .orderBy("part")
    .execute();
  return found.map((child) => child.part);
}

async function isStaged(queries: Queries, name: StageName): Promise<boolean> {
  const staging = await stagingOf(queries, name);
  return staging?.state === "staged" || staging?.state === "committed";
}

function splitPart(keys: KeyKeeping) {
  return async (
    queries: Queries,
    { parts, rejects, host, at, ...input }: Parameters<SplitStore["splitPart"]>[0],
  ): Promise<{ readonly parts: number[] }> => {
    const { isTooLarge, splitsMax = splitsPerRunMax, ...name } = input;
    const found = await receiptOf(queries, name);
    const { runId, chunk, stage, part: parent } = name;
    if (found === undefined || !(await isStaged(queries, name))) throw superseded(name);
    // An attempt that was thought dead got it through after all.
    if (found.state === "accepted" || found.state === "committed") return { parts: [] };
    if (found.state !== "split" && found.state !== "refused") {
      // A part that is too large says nothing about the mapping, and is cut no more often than its size requires.
      const splits = isTooLarge ? 0 : parts.length;
      await countSplits(queries, { runId, splits, splitsMax });
      const state = parts.length > 0 ? "split" : "refused";
      await close(queries, found, { keys, state, rejects, isTooLarge, at });
      for (const part of parts) {
        const { form } = found;
        await insertPart(queries, { runId, chunk, stage, ...part, parent, form, host, at });
      }
    }
    return { parts: await childrenOf(queries, name) };
  };
}

/** The splits of a store. */
export function createSplitStore(db: StateDatabase, tools: CommitTools): Remote<SplitStore> {
  return {
    splitPart: writes(db, splitPart(tools.keys)),
    cutChunk: createCutting(db, tools),
  };
}
