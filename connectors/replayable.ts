import { isLog } from "../src/backfill/source.ts";
import type { SyncConfig } from "../src/config/config.ts";
import { ConfigError, type ErrorFacts } from "../src/errors.ts";
import { shapeOf, type Stream } from "../src/records/streams.ts";
import type { Run } from "../src/state/contract/runs/runs.ts";
import type { Source } from "./contract/connector.ts";

/**
 * Whether a later record of a key replaces an earlier one, so that older data must never follow newer; an
 * event stands for itself.
 */
export function replacesOlder(stream: Stream): boolean {
  return shapeOf(stream).discriminator === "type";
}

/** The sync whose rejects are replayed, by its name, and what it reads. */
export type ToReplay = {
  readonly sync: string;
  readonly source: Pick<Source, "push" | "restart">;
  /** Output of the connector's schema. */
  readonly config: unknown;
};

/**
 * The error for rows that cannot be read again by the names in their rejects.
 * @param facts the hint is what would let them be replayed; without one it names what sends their rows otherwise.
 */
export function cannotReplay(
  why: string,
  what: ToReplay,
  facts: Pick<ErrorFacts, "cause" | "hint"> = {},
): ConfigError {
  const { cause, hint = otherWay(what) } = facts;
  return new ConfigError(`the rejects cannot be replayed: ${why}`, { cause, hint });
}

/** What to do about rows that cannot be replayed: without a replay, they are sent only with others. */
function otherWay({ sync, source, config }: ToReplay): string {
  if (source.restart?.(config) === "each-run") {
    return "run the sync: it reads the source as it is now";
  }
  const all =
    source.push === undefined ? "all of it again" : "again all that its inbox still keeps";
  return `\`sluice state reset ${sync}\` sends ${all}`;
}

/**
 * Makes sure that the rejects of a run can be read again and sent.
 * @param of the run that refused them, if it is in the store.
 * @throws {ConfigError} they cannot.
 */
export function assertReplayable(
  { sync, source, target }: { sync: SyncConfig; source: Source; target: string },
  of: Run | undefined,
): void {
  if (of?.sync !== sync.name) {
    throw new ConfigError(`sync ${sync.name} has no such run to replay the rejects of`, {
      field: "replay.run",
      hint: "look at `sluice runs list`",
    });
  }
  const what = { sync: sync.name, source, config: sync.connectorConfig };
  if (of.target !== target) {
    const why = `run ${of.runId} was for ${of.target}, and this would send to ${target}`;
    const hint = "set api.base_url and api.account as they were for that run, and replay again";
    throw cannotReplay(why, what, { hint });
  }
  if (source.get === undefined) throw cannotReplay(`${source.name} cannot read single rows`, what);
  // Without fingerprints nobody knows what the service took since, and older data must never overwrite newer.
  if (sync.send === "all" && replacesOlder(sync.stream)) {
    throw cannotReplay(`with \`send: all\` nothing says which rows were sent since`, what);
  }
}

/**
 * @throws {ConfigError} older rows may follow newer ones of the same key: in pushed or appended data, each version
 * stands for itself.
 */
export function assertMayRepeat(sync: SyncConfig, source: Source): void {
  if (!isLog(source, sync.connectorConfig) || !replacesOlder(sync.stream)) return;
  throw new ConfigError(
    `sync ${sync.name} reads versions of its records one after the other: sent again, an older one could ` +
      "overwrite a newer one",
    {
      field: "sync",
      hint: `\`sluice state reset ${sync.name}\` sends all of them again, in order`,
    },
  );
}
