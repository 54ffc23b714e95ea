import type { SyncConfig } from "../config/config.ts";
import { whyUnverifiable } from "../config/verify.ts";
import { ConfigError } from "../errors.ts";
import type { RecordPage } from "../pipeline/page.ts";
import type { Stream } from "../records/streams.ts";
import { counted } from "../text/quantities.ts";
import { chooseRecords, type Choice, type ChoosingTools, type ChosenRecords } from "./choose.ts";
import { searchOf } from "./compare.ts";
import { callsFor, lookUpRecords, type LookedUp, type LookUpTools } from "./look-up.ts";

/** @throws {ConfigError} no record of the sync can be compared with what the service shows. */
export function assertVerifiable(sync: Pick<SyncConfig, "name" | "send" | "stream">): void {
  const why = whyUnverifiable(sync);
  if (why === undefined) return;
  throw new ConfigError(`sync ${sync.name}: ${why}`, { field: `syncs.${sync.name}` });
}

/** What to verify. */
export type Verifying = {
  readonly sync: string;
  readonly stream: Stream;
  readonly choice: Choice;
  /** The most calls. @default one for each record */
  readonly callsMax?: number | undefined;
  /** All records that today's mapping makes of the source's current rows. */
  readonly pages: AsyncIterable<RecordPage>;
};

/** What a verification needs. */
export type VerifyTools = Pick<ChoosingTools, "knownOf" | "rejectsDuplicates"> &
  Pick<LookUpTools, "api" | "now" | "progress" | "signal"> & {
    /** Receives the largest number of calls that will be made, before the first one. */
    readonly announce: (chosen: ChosenRecords, calls: number) => void;
  };

/** The chosen records, and the result of looking them up. */
export type Verification = { readonly chosen: ChosenRecords; readonly looked: LookedUp };

function refuseBadKeys({ absent }: ChosenRecords, sync: string): void {
  const [first] = absent;
  if (first === undefined) return;
  const others = absent.length === 1 ? "" : ` and ${absent.length - 1} more`;
  throw new ConfigError(`no row of sync ${sync} makes a record of the key "${first}"${others}`, {
    hint: `a record is named by its own key; \`sluice explain ${sync} <key>\` says what is known of one`,
  });
}

/** A lookup of nothing must not pass for one that found everything as it was sent. */
function refuseNothing({ records, read }: ChosenRecords, sync: string): void {
  if (records.length > 0 || read === 0) return;
  throw new ConfigError(
    `there is nothing to verify: sync ${sync} reads ${counted(read, "record")}, and nothing says that the service ` +
      `accepted ${read === 1 ? "it" : "one of them"}`,
    {
      hint: `\`sluice status\` says whether a run has them on the way; else \`sluice run ${sync}\` sends them`,
    },
  );
}

/** Nor must a lookup in which no record can be looked up. */
function refuseIncomparable(
  { records }: ChosenRecords,
  { property }: ReturnType<typeof searchOf>,
  sync: string,
): void {
  if (records.length === 0) return;
  throw new ConfigError(
    `nothing can be verified: of ${counted(records.length, "record")} drawn from sync ${sync}, none is known to ` +
      `have the ${property} that was sent: it has changed since, or was adopted`,
    {
      hint: `\`sluice run ${sync}\` sends what has changed; another \`--seed\` draws other records`,
    },
  );
}

/**
 * Looks up in the service some of the records that it is known to hold. Announces how many calls there will be before
 * the first one, and never makes more.
 * @throws {ConfigError} a named key has no record, or there are more than `callsMax`; or no record of the source is
 * known to be accepted, or none that was drawn can be looked up: in that case nothing was looked up.
 */
export async function verifyRecords(
  { sync, stream, choice, callsMax = Infinity, pages }: Verifying,
  { knownOf, rejectsDuplicates, announce, ...tools }: VerifyTools,
): Promise<Verification> {
  const search = searchOf(stream, sync);
  const chosen = await chooseRecords(pages, choice, { stream, rejectsDuplicates, knownOf });
  refuseBadKeys(chosen, sync);
  if (!("keys" in choice)) refuseNothing(chosen, sync);
  const needed = callsFor(chosen.records, search);
  if (!("keys" in choice) && needed === 0) refuseIncomparable(chosen, search, sync);
  if ("keys" in choice && needed > callsMax) {
    throw new ConfigError(`${needed} keys need ${needed} calls, and calls-max allows ${callsMax}`, {
      hint: "name fewer keys, or allow more calls",
    });
  }
  const calls = Math.min(needed, callsMax);
  if (calls > 0) announce(chosen, calls);
  const look = { ...tools, knownOf, stream, search, callsMax: calls };
  const looked = await lookUpRecords(chosen.records, look);
  return { chosen, looked };
}
