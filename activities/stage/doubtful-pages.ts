import { z } from "zod";

import type { Moment } from "../../src/clock.ts";
import { StagedFileMissingError } from "../../src/errors.ts";
import { pageRowsMax } from "../../src/limits.ts";
import { Candidates } from "../../src/pipeline/candidates/candidates.ts";
import type { RecordPage } from "../../src/pipeline/page.ts";
import { JsonlWriter } from "../../src/records/jsonl.ts";
import { stagedFile } from "../../src/staging/folder.ts";
import { stagedLines } from "../../src/staging/staged-lines.ts";
import type { DoubtfulRecord, StagedRecord } from "../../src/state/contract/doubts/doubt-store.ts";
import type { SyncName } from "../../src/state/contract/runs/checkpoints.ts";
import type { StateClient } from "../../src/state/state-store.ts";

/** The records in doubt that a staging sends again; plain data, because it crosses to a thread. */
export type DoubtJob = SyncName & {
  readonly stagingFolder: string;
  readonly hostId: string;
  readonly now: Moment;
};

type Line = { readonly key: string; readonly line: string };

type DoubtTools = {
  readonly state: Pick<StateClient, "doubtfulRecords" | "loseLines">;
  /** The position of a page that ends with this record. */
  readonly positionOf: (last: StagedRecord) => unknown;
};

/** The lines of records of one staging, in its order; none if its file is on another host, or gone. */
async function linesOf(
  { hostId, stagingFolder }: DoubtJob,
  { state }: DoubtTools,
  found: readonly DoubtfulRecord[],
): Promise<Line[]> {
  const [first] = found;
  if (first === undefined || first.host !== hostId) return [];
  const keys = new Map(found.map(({ record, key }) => [record, key]));
  const ranges = found.map(({ record }) => [record, record + 1] as const);
  const lines: Line[] = [];
  try {
    for await (const { record, line } of stagedLines(stagedFile(stagingFolder, first), ranges)) {
      lines.push({ key: keys.get(record) ?? "", line: line.toString() });
    }
  } catch (error) {
    if (!(error instanceof StagedFileMissingError)) throw error;
    await state.loseLines({ send: first.send });
    return [];
  }
  return lines;
}

/** Where the pages begin and end in a run that reads nothing else. */
export const doubtPosition = z.object({ send: z.int(), record: z.int() });

const beginning: StagedRecord = { send: 0, record: -1 };

/** Pages of the records in doubt that can be sent again, with their lines as last staged and sent. */
export async function* doubtfulPages(
  job: DoubtJob,
  tools: DoubtTools,
  from: StagedRecord = beginning,
): AsyncGenerator<RecordPage> {
  const { target, sync, now } = job;
  let after = from;
  for (;;) {
    const request = { target, sync, now, after, limit: pageRowsMax };
    const found = await tools.state.doubtfulRecords(request);
    const last = found.at(-1);
    if (last === undefined) return;
    after = { send: last.send, record: last.record };
    const lines: Line[] = [];
    for (const ofSend of Map.groupBy(found, ({ send }) => send).values()) {
      lines.push(...(await linesOf(job, tools, ofSend)));
    }
    yield pageOf(lines, tools.positionOf(after));
  }
}

function pageOf(lines: readonly Line[], position: unknown): RecordPage {
  const written = new JsonlWriter();
  const made = lines.map(({ key, line }, index) => {
    const start = written.end;
    written.write(line);
    return { index, key, start, end: written.end - 1, keyFrom: -1, keyTo: -1 };
  });
  return {
    source: {
      rows: [],
      position,
      where: (index) => `record in doubt ${index + 1}`,
      text: (index) => lines[index]?.line ?? "",
      isAgain: true,
    },
    read: lines.length,
    candidates: Candidates.of(made, written.take()),
    rejects: [],
    filtered: 0,
    unchanged: 0,
    superseded: [],
  };
}
