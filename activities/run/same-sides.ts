import type { Source } from "../../connectors/contract/connector.ts";
import {
  assertSameAccount,
  assertSameSource,
  holderOf,
  type Trust,
} from "../../connectors/identities.ts";
import type { SyncConfig } from "../../src/config/config.ts";
import { isoNow, type Dependencies } from "../dependencies.ts";
import { readRequestOf } from "../stage/source.ts";

/**
 * Holds account and source of a sync against those that its checkpoint and fingerprints belong to. To be
 * called before anything is read or sent; where the answer is to be kept, once the send lock is held.
 * @throws {ConfigError} one of them is another.
 */
export async function assertSameSides(
  deps: Pick<Dependencies, "config" | "log" | "now" | "state" | "target">,
  at: {
    readonly sync: SyncConfig;
    /** Undefined where nothing is read: then it need not even be up. */
    readonly source: Source | undefined;
    readonly isKept: boolean;
    /** Of a run that continues after a pause: the first part of it was sent. @default false */
    readonly isBegun?: boolean;
  },
  signal: AbortSignal,
): Promise<void> {
  const { sync, source, isKept, isBegun = false } = at;
  const name = { target: deps.target, sync: sync.name };
  const { version, position } = await deps.state.checkpoint(name);
  // A first run that was cut, and a backfill, leave what is known of the account without a checkpoint.
  const isFresh = version === 0 && !isBegun && !(await deps.state.hasSent(name));
  const trust: Trust = { isFresh, isKept };
  const holder = holderOf(deps, { kind: "sync", name: sync.name, at: isoNow(deps) });
  const { account } = await deps.state.identities({ holder: holder.lock });
  if (account === undefined && isKept && version > 0) {
    const text = "account and source are taken for those that were worked with so far";
    deps.log.info({ sync: sync.name }, text);
  }
  await assertSameAccount(holder, deps.config.api, trust);
  if (source === undefined) return;
  const { connection } = sync;
  await assertSameSource(
    holder,
    { source, connection, ask: readRequestOf(sync, signal), position },
    trust,
  );
}

/**
 * The same of the source alone, in the midst of a run: a worker may have been started again with another address.
 * @throws {ConfigError} it is another one than when the run was opened.
 */
export async function assertStillSameSource(
  deps: Pick<Dependencies, "now" | "state" | "target">,
  { sync, source }: { readonly sync: SyncConfig; readonly source: Source },
  signal: AbortSignal,
): Promise<void> {
  const { connection } = sync;
  const asked = { source, connection, ask: readRequestOf(sync, signal), position: null };
  const trust = { isFresh: false, isKept: false };
  const holder = holderOf(deps, { kind: "sync", name: sync.name, at: isoNow(deps) });
  await assertSameSource(holder, asked, trust);
}
