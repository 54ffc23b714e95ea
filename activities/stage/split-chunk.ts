import { createHash } from "node:crypto";

import { ApiContractError, TooManyRejectsError } from "../../src/errors.ts";
import { chunkName } from "../../src/lane-of.ts";
import { bodyEnvelope } from "../../src/pipeline/bodies.ts";
import { createGzipWriter } from "../../src/pipeline/gzip.ts";
import { assertWithinLimit, splitsMaxOf } from "../../src/pipeline/rejects.ts";
import { refusedAgain } from "../../src/records/reject-codes.ts";
import { createAtomicFile, stagedFile } from "../../src/staging/folder.ts";
import { stagedLines } from "../../src/staging/staged-lines.ts";
import type { RejectEntry } from "../../src/state/contract/rejects/rejects.ts";
import type { NewPart } from "../../src/state/contract/sends/receipts.ts";
import type { Receipt } from "../../src/state/contract/sends/receipts.ts";
import type { StageName } from "../../src/state/contract/sends/stagings.ts";
import type { Staging } from "../../src/state/contract/sends/stagings.ts";
import type { Ranges } from "../../src/state/ranges.ts";
import { attempt } from "../attempt.ts";
import { isoNow, runOf, syncOf, type Dependencies } from "../dependencies.ts";
import type { SplitInput } from "../inputs.ts";
import { rejectLimitOf } from "../run/replay-place.ts";
import { withRetryBudget } from "../upload/retry-budget.ts";
import { findRows, type Refused } from "./find-rows.ts";

/** Numbers of the records in `ranges`, in order. */
function recordsOf(ranges: Ranges): number[] {
  return ranges.flatMap(([from, to]) => Array.from({ length: to - from }, (_, n) => from + n));
}

/** Record numbers as the fewest possible ranges. */
function rangesOf(records: readonly number[]): [number, number][] {
  const ranges: [number, number][] = [];
  for (const record of records) {
    const last = ranges.at(-1);
    if (last?.[1] === record) last[1] += 1;
    else ranges.push([record, record + 1]);
  }
  return ranges;
}

/**
 * Decides what stays and what is refused. Named records are refused once it is certain which are meant; otherwise the
 * part is cut in two; the only record of a part is refused.
 */
function divide(
  receipt: Receipt,
  how: SplitInput["how"],
): { readonly keep: readonly (readonly number[])[]; readonly refused: readonly Refused[] } {
  const records = recordsOf(receipt.ranges);
  const first = "without" in how ? Math.min(...how.without.map(({ index }) => index)) : 0;
  // A service that counts from 1 names a good neighbour. Only the first record of a part proves that it counts from 0.
  // Until then the part is cut before the first one named: either everything before it is accepted, or the bad record
  // is there.
  if (first > 0 && first < records.length) {
    return { keep: [records.slice(0, first), records.slice(first)], refused: [] };
  }
  if ("without" in how) {
    const refused = how.without.flatMap(({ index, field }) => {
      const record = records[index];
      return record === undefined ? [] : [{ record, field, code: "refused_by_service" as const }];
    });
    const gone = new Set(refused.map(({ record }) => record));
    const rest = records.filter((record) => !gone.has(record));
    return { keep: rest.length > 0 ? [rest] : [], refused };
  }
  if (records.length === 1) {
    return { keep: [], refused: records.map((record) => ({ record, code: how.why })) };
  }
  const middle = Math.ceil(records.length / 2);
  return { keep: [records.slice(0, middle), records.slice(middle)], refused: [] };
}

type Making = {
  readonly deps: Dependencies;
  readonly receipt: Receipt;
  readonly stream: string;
  readonly level: number;
};

/** Makes a new part as a file of its own, with the records that it keeps of the staged one. */
async function makeFile(making: Making, part: number, ranges: Ranges): Promise<NewPart> {
  const { deps, receipt, level } = making;
  const file = await createAtomicFile(stagedFile(deps.stagingFolder, receipt, part), deps.effect);
  try {
    const gzip = createGzipWriter(async (bytes) => await file.write(bytes), level);
    let records = 0;
    for await (const { line } of stagedLines(stagedFile(deps.stagingFolder, receipt), ranges)) {
      await gzip.add(Buffer.concat([line, Buffer.from("\n")]));
      records += 1;
    }
    const facts = await gzip.finish();
    await file.finish();
    return { part, ranges, records, ...facts };
  } finally {
    await file.discard();
  }
}

/** Makes a new part as a body, which is put together when it is sent. */
async function makeBody(making: Making, part: number, ranges: Ranges): Promise<NewPart> {
  const { deps, receipt, stream } = making;
  const { head, tail } = bodyEnvelope(stream);
  const hash = createHash("sha256");
  let [records, jsonBytes] = [0, Buffer.byteLength(head) + tail.length];
  for await (const { line } of stagedLines(stagedFile(deps.stagingFolder, receipt), ranges)) {
    jsonBytes += line.length + (records > 0 ? 1 : 0);
    hash.update(line).update("\n");
    records += 1;
  }
  const jsonlSha256 = hash.digest("hex");
  return { part, ranges, records, jsonBytes, jsonlSha256, gzipBytes: 0, gzipSha256: null };
}

async function makeParts(
  making: Making,
  send: Staging,
  keep: readonly (readonly number[])[],
): Promise<NewPart[]> {
  const { deps, receipt } = making;
  // New numbers follow those of staging and of earlier splits, so that no number ever means two things.
  const receipts = await deps.state.receipts(receipt);
  const numbers = receipts.map(({ part }) => part);
  const first = Math.max(...numbers, (send.bodies?.length ?? 0) - 1) + 1;
  const make = receipt.form === "file" ? makeFile : makeBody;
  const parts: NewPart[] = [];
  for (const [index, records] of keep.entries()) {
    parts.push(await make(making, first + index, rangesOf(records)));
  }
  return parts;
}

/**
 * Whether a reject counts towards the limit. A record that is sent again belongs to a row of an earlier run: if it
 * counted, each run would stop anew, and its own rows would never leave.
 */
function countsTowardsLimit({ code }: RejectEntry): boolean {
  return code !== refusedAgain;
}

/** Whether an error stops the run for what the service refused, rather than for a passing fault. */
function stopsRun(error: unknown): boolean {
  return error instanceof TooManyRejectsError || error instanceof ApiContractError;
}

/** The error of a chunk that an earlier attempt abandoned. */
function wasCut({ runId, chunk }: StageName): ApiContractError {
  return new ApiContractError(
    `run ${runId}, ${chunkName(chunk)}: it was given up, because the service refused too many of its records`,
    { hint: "look at `sluice rejects list`, then run again" },
  );
}

/**
 * Takes refused records out of a part, or cuts it in two. A half is a file of other bytes, so that records which the
 * service may have taken are never confirmed under a second key. Twice is once: the first answer is kept in the
 * receipts, and indices count only for the part they were given for.
 */
export function createSplitChunk(
  deps: Dependencies,
): (input: SplitInput) => Promise<{ readonly parts: number[] }> {
  const { state } = deps;
  return async ({ how, ...ref }) =>
    await attempt(async ({ signal }) => {
      const run = await runOf(deps, ref);
      const { runId, chunk, stage, part } = ref;
      const name = { runId, chunk, stage };
      const [send, receipt] = await Promise.all([
        state.staging(name),
        state.receipt({ ...name, part }),
      ]);
      if (send === undefined || receipt === undefined) {
        throw new Error(`run ${runId}, ${chunkName(chunk)}: part ${part} is not in the store`);
      }
      const splitting = { ...name, part, host: deps.hostId, at: isoNow(deps) };
      if (send.state === "cut") throw wasCut(ref);
      if (receipt.state === "split" || receipt.state === "refused") {
        return await state.splitPart({ ...splitting, parts: [], rejects: [], isTooLarge: false });
      }
      const sync = syncOf(deps, run.sync);
      const { keep, refused } = divide(receipt, how);
      const rejects = await findRows(deps, { sync, run, receipt, to: send.to, refused, signal });
      const { read, refused: before, again } = await state.tally({ runId, staged: true });
      const limit = rejectLimitOf(run, sync);
      try {
        const rejected = before - again + rejects.filter(countsTowardsLimit).length;
        assertWithinLimit(limit, { rejected, read });
        const making = { deps, receipt, stream: sync.stream, level: sync.chunk.level };
        const parts = await withRetryBudget(
          deps,
          name,
          async () => await makeParts(making, send, keep),
        );
        const isTooLarge = "halves" in how && how.why === "too_large";
        const splitsMax = splitsMaxOf(limit, { read, records: send.records });
        return await state.splitPart({ ...splitting, parts, rejects, isTooLarge, splitsMax });
      } catch (error) {
        if (stopsRun(error)) await state.cutChunk({ ...splitting, rejects });
        throw error;
      }
    });
}
