import { createHmac } from "node:crypto";

import type { ApiConfig } from "../src/config/config.ts";
import { ConfigError } from "../src/errors.ts";
import type { Secret } from "../src/security/secret.ts";
import { currentKey } from "../src/service/rotating-key.ts";
import type { IdentityPart } from "../src/state/contract/keys/identities.ts";
import type { KnownIdentity } from "../src/state/contract/keys/identities.ts";
import { pullLock } from "../src/state/contract/pull/pulls.ts";
import { sendLock } from "../src/state/contract/runs/locks.ts";
import type { StateClient } from "../src/state/state-store.ts";
import type { Recognition, Source } from "./contract/connector.ts";
import type { ConnectorRequest } from "./contract/request.ts";

/** A sync or pull whose account and source are checked. */
export type Holder = {
  readonly state: Pick<StateClient, "identities" | "setIdentity">;
  readonly kind: "pull" | "sync";
  readonly name: string;
  /** The name of its lock. */
  readonly lock: string;
  /** The current time, in the store's form. */
  readonly at: string;
};

/** The holder of the identities of a sync or pull. */
export function holderOf(
  { state, target }: { readonly state: Holder["state"]; readonly target: string },
  { kind, name, at }: Pick<Holder, "at" | "kind" | "name">,
): Holder {
  const lock = kind === "sync" ? sendLock(target, name) : pullLock(target, name);
  return { state, kind, name, lock, at };
}

/** The facts that decide whether a run may continue with the known identities. */
export type Trust = {
  /** Whether nothing depends on the known identity yet: the found one is then taken silently. */
  readonly isFresh: boolean;
  /** Whether the found identity is kept; a mere look keeps nothing. */
  readonly isKept: boolean;
};

/** A source to ask, with the connection that says where it is. */
export type AskedSource = {
  readonly source: Source;
  readonly connection: string;
  readonly request: ConnectorRequest<unknown>;
  /** The checkpoint; null for none. */
  readonly position: unknown;
};

/** The identity of an account: a hash of its key, which reveals nothing without the store's salt. */
function recognizeAccount(
  apiKey: Secret,
  salt: string,
  known: KnownIdentity | undefined,
): Recognition {
  const identity = createHmac("sha256", salt).update(apiKey.reveal()).digest("hex").slice(0, 32);
  const isOther = known !== undefined && known.identity !== identity;
  return {
    identity,
    shown: `key ${identity.slice(0, 8)}…`,
    differs: isOther ? "the API key is not the one that was sent with before" : undefined,
  };
}

/** The account of a holder, by its current key. */
export async function findAccount({ state, lock }: Holder, api: ApiConfig): Promise<Recognition> {
  const { salt, account } = await state.identities({ holder: lock });
  return recognizeAccount(await currentKey(api), salt, account);
}

/** The source of a holder; undefined where its connector cannot distinguish sources. */
export async function findSource(
  { state, lock, kind }: Holder,
  { source, request, position }: Omit<AskedSource, "connection">,
): Promise<Recognition | undefined> {
  if (source.recognize === undefined) return undefined;
  const { source: known } = await state.identities({ holder: lock });
  // A position of another form means nothing; the beginning of the run reports that.
  const { data } = source.position.safeParse(position);
  // The known source of a pull is the one that it writes to.
  const isWritten = kind === "pull";
  return await source.recognize({ ...request, known: known?.identity, position: data, isWritten });
}

/** Keeps the found identity as the known one, if they differ. */
export async function keepIdentity(
  { state, lock, at }: Holder,
  part: IdentityPart,
  { identity, shown }: Recognition,
): Promise<void> {
  const known = (await state.identities({ holder: lock }))[part];
  if (JSON.stringify(known?.identity) === JSON.stringify(identity)) return;
  await state.setIdentity({ holder: lock, part, identity, shown, at });
}

function anew({ kind, name }: Holder, reason: string): string {
  return kind === "pull"
    ? `\`sluice pull ${name} --full\` begins anew`
    : `\`sluice state reset ${name} --reason "${reason}"\` reads and sends everything anew`;
}

/** The two ways on from another account or source. */
function waysOn(holder: Holder, what: IdentityPart): string {
  return (
    `if it is the same ${what}, \`sluice state rebind ${holder.name}\` says so (without a name: for all); ` +
    `if not, ${anew(holder, `another ${what}`)}`
  );
}

/** @throws {ConfigError} nothing known of the source counts any more, whoever says that it is the same. */
export function assertNotAnew(
  holder: Holder,
  { differs, beginsAnew }: Recognition,
  field?: string,
): void {
  if (beginsAnew !== true) return;
  throw new ConfigError(
    `${differs}; if it continued, ${holder.kind} ${holder.name} would pass over some`,
    { field, hint: anew(holder, "it is another by now") },
  );
}

/** @throws {ConfigError} it is not the known one. */
async function assertSame(
  holder: Holder,
  part: IdentityPart,
  at: { readonly found: Recognition; readonly trust: Trust; readonly field: string },
): Promise<void> {
  const { found, trust, field } = at;
  const known = (await holder.state.identities({ holder: holder.lock }))[part];
  if (found.differs !== undefined && known !== undefined && !trust.isFresh) {
    assertNotAnew(holder, found, field);
    throw new ConfigError(
      `${holder.kind} ${holder.name}: ${found.differs}: it was ${known.shown} (since ${known.since}), and now ` +
        `it is ${found.shown}`,
      { field, hint: waysOn(holder, part) },
    );
  }
  if (trust.isKept) await keepIdentity(holder, part, found);
}

/**
 * Compares the account with the one that checkpoint and fingerprints belong to; the first one is accepted.
 * @throws {ConfigError} it is another key, and nobody has said that it is of the same account.
 */
export async function assertSameAccount(
  holder: Holder,
  api: ApiConfig,
  trust: Trust,
): Promise<void> {
  const field = api.apiKeyFile === undefined ? "api.api_key" : "api.api_key_file";
  await assertSame(holder, "account", { found: await findAccount(holder, api), trust, field });
}

/**
 * The same for the source.
 * @throws {ConfigError} it is another one, and nobody has said that it is the same. @throws whatever the connector
 * throws
 */
export async function assertSameSource(
  holder: Holder,
  asked: AskedSource,
  trust: Trust,
): Promise<void> {
  const found = await findSource(holder, asked);
  const field = `connections.${asked.connection}`;
  if (found !== undefined) await assertSame(holder, "source", { found, trust, field });
}
