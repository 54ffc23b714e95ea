import { z } from "zod";

import { type RequestWindow, type Sender } from "../../contract/doubts/requests.ts";
import type { StageName } from "../../contract/sends/stagings.ts";
import type { Ranges } from "../../ranges.ts";
import type { Database } from "../database.ts";
import { all } from "../database.ts";
import { createDoubts, type LeavingPart } from "../doubts/doubts.ts";
import { createRequests } from "../doubts/requests.ts";
import { createFingerprintSets } from "../keys/fingerprint-sets.ts";

type PartName = StageName & { readonly part: number };

const partRow = z.object({ part: z.int() });

/** A part that is about to leave, and what it holds. */
export type NotedPart = PartName & { readonly send: number; readonly ranges: Ranges };

/** Notes what leaves. Every function is called inside a transaction. */
export type Noting = {
  /** Notes what a part puts in doubt when it leaves; answers the requests that it does so for. */
  doubt(part: NotedPart, how: Pick<Sender, "now" | "stream">): number[];
  /**
   * Notes the request of a part that leaves now, and what it puts in doubt, where `doubt` has not just done
   * so: what that writes may be much. Answers the request's number.
   */
  begin(part: NotedPart & { readonly attempt: number }, sender: NewRequest): number;
};

/** A request that is about to be made. */
export type NewRequest = Sender &
  RequestWindow & {
    /** As `doubt` answered. @default nothing is noted yet */
    readonly noted?: readonly number[] | undefined;
  };

/** Makes the functions that note what leaves. */
export function createNoting(db: Database): Noting {
  const sets = createFingerprintSets(db);
  const family = db.prepare(
    `with recursive up (part) as (
       select $part union
       select parent from up join receipts using (part)
       where run_id = $runId and chunk = $chunk and stage = $stage and parent is not null)
     select part from up`,
  );
  const noteLanding = db.prepare(
    `update receipts set landing = $landing
     where run_id = $runId and chunk = $chunk and stage = $stage and part = $part`,
  );
  const doubts = createDoubts(db);
  const requests = createRequests(db);
  const leavingOf = (
    { runId, chunk, stage, part, ...rest }: NotedPart,
    stream: string,
  ): LeavingPart => {
    sets.haveOfRun(runId);
    const rows = all(partRow, family, { runId, chunk, stage, part });
    const ancestors = rows.map((row) => row.part);
    return { setId: sets.idOfRun(runId), stream, runId, part, ancestors, ...rest };
  };
  return {
    doubt: (part, { now, stream }) => {
      const leaving = leavingOf(part, stream);
      const { before } = doubts.landing(leaving, now);
      doubts.leave(leaving, before);
      return before.map(({ request }) => request);
    },
    begin: ({ attempt, ...noted }, { now, stream, noted: known, ...sender }) => {
      const leaving = leavingOf(noted, stream);
      const landing = doubts.landing(leaving, now);
      // A request that was held to be over may have been answered since.
      const isNoted = landing.before.every(({ request }) => known?.includes(request) === true);
      if (known === undefined || !isNoted) doubts.leave(leaving, landing.before);
      const { runId, chunk, stage, part, send } = noted;
      noteLanding.run({ runId, chunk, stage, part, landing: JSON.stringify(landing.all) });
      const { setId } = leaving;
      return requests.begin({ setId, stream, send, part, attempt, now, ...sender });
    },
  };
}
