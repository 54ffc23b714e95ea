import type { Config, SyncConfig } from "../src/config/config.ts";
import type { StateClient } from "../src/state/state-store.ts";
import type { Source } from "./contract/connector.ts";
import {
  assertSameAccount,
  assertSameSource,
  holderOf,
  type Holder,
  type Trust,
} from "./identities.ts";
import { readRequestOf } from "./source.ts";

/** The means to check whether the two sides of a sync are the same as before. */
type Known = {
  readonly state: Holder["state"] & Pick<StateClient, "checkpoint" | "hasSent">;
  readonly target: string;
  readonly config: Pick<Config, "api">;
  readonly log: { info(facts: object, text: string): void };
  /** Unix ms. */
  now(): number;
};

function syncHolder(
  known: Pick<Known, "now" | "target"> & Pick<Holder, "state">,
  name: string,
): Holder {
  return holderOf(known, { kind: "sync", name, at: new Date(known.now()).toISOString() });
}

/**
 * Compares the account and source of a sync with those that its checkpoint and fingerprints belong to. Call it before
 * anything is read or sent, and, where the identities are kept, once the send lock is held.
 * @throws {ConfigError} one of them is another.
 */
export async function assertSameSides(
  known: Known,
  at: {
    readonly sync: SyncConfig;
    /** Undefined where nothing is read: then it need not even be up. */
    readonly source: Source | undefined;
    readonly isKept: boolean;
    /** Whether the run continues after a pause: its first part was sent. @default false */
    readonly isBegun?: boolean;
  },
  signal: AbortSignal,
): Promise<void> {
  const { sync, source, isKept, isBegun = false } = at;
  const name = { target: known.target, sync: sync.name };
  const { version, position } = await known.state.checkpoint(name);
  // A first run that was cut, and a backfill, leave records known of the account, but no checkpoint.
  const isFresh = version === 0 && !isBegun && !(await known.state.hasSent(name));
  const trust: Trust = { isFresh, isKept };
  const holder = syncHolder(known, sync.name);
  const { account } = await known.state.identities({ holder: holder.lock });
  if (account === undefined && isKept && version > 0) {
    const text = "account and source are taken for those used so far";
    known.log.info({ sync: sync.name }, text);
  }
  await assertSameAccount(holder, known.config.api, trust);
  if (source === undefined) return;
  const { connection } = sync;
  await assertSameSource(
    holder,
    { source, connection, request: readRequestOf(sync, signal), position },
    trust,
  );
}

/**
 * The same for the source alone, during a run: a worker may have been started again with another address.
 * @throws {ConfigError} it is another one than when the run was opened.
 */
export async function assertStillSameSource(
  known: Pick<Known, "now" | "target"> & Pick<Holder, "state">,
  { sync, source }: { readonly sync: SyncConfig; readonly source: Source },
  signal: AbortSignal,
): Promise<void> {
  const { connection } = sync;
  const asked = { source, connection, request: readRequestOf(sync, signal), position: null };
  const trust = { isFresh: false, isKept: false };
  const holder = syncHolder(known, sync.name);
  await assertSameSource(holder, asked, trust);
}
