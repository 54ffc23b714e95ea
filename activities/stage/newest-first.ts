import type { MakeReject, RecordPage } from "../../src/pipeline/page.ts";
import {
  noteRejects,
  rejectOlder,
  type RejectedKeys,
} from "../../src/pipeline/rejects-duplicates.ts";
import type { RejectNumber } from "../../src/state/contract/rejects/rejects.ts";
import type { StageJob, StageTools } from "./stage-job.ts";

type Tools = Pick<StageTools, "state">;

const keysAtOnce = 10_000;

/** The keys that earlier chunks of the run rejected. */
async function rejectedBefore(
  { rejects, stage }: StageJob,
  { state }: Tools,
): Promise<RejectedKeys> {
  const rejected: RejectedKeys = new Map();
  let after: RejectNumber | undefined;
  let isMore = rejects.before.rejected > 0;
  while (isMore) {
    const { runId, chunk } = stage;
    const found = await state.rejectedKeys({ runId, chunk, after, limit: keysAtOnce });
    noteRejects(rejected, found);
    after = found.at(-1);
    isMore = found.length === keysAtOnce;
  }
  return rejected;
}

/** The pages, without rows of older files whose key was rejected in a newer one, in this chunk or before. */
export async function* withoutOlder(
  pages: AsyncIterable<RecordPage>,
  job: StageJob,
  { state, makeReject }: Tools & { readonly makeReject: MakeReject },
): AsyncGenerator<RecordPage> {
  if (job.newestFirst !== true) yield* pages;
  else yield* rejectOlder(pages, makeReject, await rejectedBefore(job, { state }));
}
