import type { Run } from "../../state/contract/runs/runs.ts";
import type { StateStore } from "../../state/state-store.ts";
import type { TransferState } from "./transfer.ts";

/** How many of the newest transfers of a name are searched: some are for another service, or found the sync busy. */
const runsLookedThrough = 50;

/** The newest runs, at any target, that were meant to move something. */
async function transferRuns(
  state: Pick<StateStore, "runs">,
  { name, kind }: TransferState,
): Promise<readonly Run[]> {
  // Events that are pushed to a connection are sent by runs that its inbox begins.
  const kinds: readonly Run["kind"][] = kind === "sync" ? ["sync", "inbox"] : [kind];
  return await state.runs({ sync: name, kinds, limit: runsLookedThrough });
}

/** The newest run, whichever target it was for, that was meant to move something. */
export async function lastRunAnywhere(
  state: Pick<StateStore, "runs">,
  transfer: TransferState,
): Promise<Run | undefined> {
  const [newest] = await transferRuns(state, transfer);
  return newest;
}

/** The newest run at this target that was meant to move something. */
export async function lastRun(
  state: Pick<StateStore, "runs">,
  transfer: TransferState,
  target: string,
): Promise<Run | undefined> {
  const runs = await transferRuns(state, transfer);
  const transfers = runs.filter((run) => run.target === target);
  const [newest] = transfers;
  if (newest?.outcome !== "busy") return newest;
  // It moved nothing because another run did; that one shows how it went.
  const other = transfers.find(({ outcome }) => outcome !== "busy");
  const isLater = other?.endedAt === null || (other?.endedAt ?? "") > newest.startedAt;
  return isLater ? other : newest;
}
