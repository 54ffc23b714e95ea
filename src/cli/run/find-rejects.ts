import { targetOf, type Config } from "../../config/config.ts";
import { didYouMean } from "../../config/messages/did-you-mean.ts";
import { ConfigError } from "../../errors.ts";
import { ourRejectCodes } from "../../records/reject-codes.ts";
import type { StoredReject } from "../../state/contract/rejects/rejects.ts";
import type { StateStore } from "../../state/state-store.ts";
import { grouped } from "../../text/quantities.ts";
import { syncNamed } from "../named.ts";
import { assertKnownName, runOfRejects } from "./runs.ts";

/**
 * Which rejects are meant: those of a run; otherwise all that are open; otherwise those of every run with this key or
 * since then; otherwise those of the newest run.
 */
export type WhichRejects = {
  readonly run?: string | undefined;
  readonly sync?: string | undefined;
  readonly open?: boolean | undefined;
  readonly key?: string | undefined;
  readonly code?: string | undefined;
  /** ISO 8601. */
  readonly since?: string | undefined;
  /** How many are wanted at most. */
  readonly limit: number;
};

/** Rejects that were found, and what to say if there are none. */
type Found = { readonly rejects: AsyncIterable<StoredReject>; readonly none: string };

const pageSize = 1_000;
/** How many of the newest runs are searched for a key or since a time: an inbox makes a run every second. */
const runsLookedThrough = 10_000;

/** All rejects of a run, in the order of its rows. */
export async function* rejectsOf(state: StateStore, runId: string): AsyncGenerator<StoredReject> {
  let after: { chunk: number; ordinal: number } | undefined;
  for (;;) {
    const page = await state.rejects({ runId, after, limit: pageSize });
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < pageSize) return;
    after = { chunk: last.chunk, ordinal: last.ordinal };
  }
}

async function* rejectsSince(
  state: StateStore,
  { sync, since = "" }: WhichRejects,
): AsyncGenerator<StoredReject> {
  for (const { runId, endedAt } of await state.runs({ sync, limit: runsLookedThrough })) {
    if (endedAt === null || endedAt >= since) yield* rejectsOf(state, runId);
  }
}

async function* openRejects(
  state: StateStore,
  config: Config,
  { sync, code, key, since, limit }: WhichRejects,
): AsyncGenerator<StoredReject> {
  const target = targetOf(config.api);
  yield* await state.rejectsWhere({ target, sync, code, key, since, isOpen: true, limit });
}

async function* matching(
  rejects: AsyncIterable<StoredReject>,
  { key, code, since = "" }: WhichRejects,
): AsyncGenerator<StoredReject> {
  for await (const reject of rejects) {
    const isMeant =
      (key === undefined || reject.key === key) && (code === undefined || reject.code === code);
    if (isMeant && reject.createdAt >= since) yield reject;
  }
}

/** @throws {ConfigError} a run or sync that is named is not there, or the request contradicts itself. */
export async function findRejects(
  state: StateStore,
  config: Config,
  which: WhichRejects,
): Promise<Found> {
  const { run, sync, open, key, code, since } = which;
  // A connector may have codes of its own.
  const near =
    code === undefined || ourRejectCodes.includes(code) ? "" : didYouMean(code, ourRejectCodes);
  const such = [key, code, since].every((filter) => filter === undefined) ? "" : "such ";
  if (open === true) {
    if (run !== undefined) {
      throw new ConfigError("--open and a run exclude each other", {
        hint: "open rejects may be in any run; `rejects list <run>` shows what became of each reject",
      });
    }
    if (sync !== undefined) syncNamed(config, sync);
    const none = `${sync ?? "no sync"} has ${sync === undefined ? "" : "no "}${such}open rejects${near}`;
    return { rejects: openRejects(state, config, which), none };
  }
  await assertKnownName(state, config, sync);
  if (run === undefined && (key !== undefined || since !== undefined)) {
    return {
      rejects: matching(rejectsSince(state, which), which),
      none: `the newest ${grouped(runsLookedThrough)} runs have no such rejects${near}`,
    };
  }
  const { runId } = await runOfRejects(state, { run, sync, target: targetOf(config.api) });
  const none = `run ${runId} has no ${such}rejects${near}`;
  return { rejects: matching(rejectsOf(state, runId), which), none };
}
