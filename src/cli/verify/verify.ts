import { assertSameAccount, holderOf } from "../../../connectors/identities.ts";
import { checkColumns, connectorOf } from "../../../connectors/source.ts";
import { systemClock } from "../../clock.ts";
import { targetOf, type Config, type SyncConfig } from "../../config/config.ts";
import { ConfigError } from "../../errors.ts";
import { rejectsDuplicates } from "../../pipeline/rejects-duplicates.ts";
import { createServiceClient } from "../../service/client.ts";
import { assertMaySend } from "../../service/key-limits.ts";
import { currentKey } from "../../service/rotating-key.ts";
import type { StateStore } from "../../state/state-store.ts";
import { counted } from "../../text/quantities.ts";
import type { Choice } from "../../verify/choose.ts";
import { sampleDefault, sampleMax } from "../../verify/limits.ts";
import { assertVerifiable, verifyRecords, type Verification } from "../../verify/verify.ts";
import { syncNamed } from "../named.ts";
import { configOf, storeNow, withGlobals } from "../output/context.ts";
import type { Context, Register } from "../output/context.ts";
import { exitCodeOfError, exitCodes, keepWorst } from "../output/exit-code.ts";
import { onInterrupt } from "../output/interrupt.ts";
import { outliveReader } from "../output/output.ts";
import { positive } from "../positive.ts";
import { repeated } from "../repeated.ts";
import { knownOf, mappedRows, withStateThere } from "../run/mapped-rows.ts";
import { useService } from "../running/services.ts";
import { waitingSourcesOf } from "../running/wait-for-source.ts";
import { assertAskable, resendMissing, type ResendOptions } from "./resend.ts";
import { verifyJson, verifyText, type ShownVerification } from "./verify-text.ts";

type VerifyOptions = ResendOptions & {
  readonly sample: number;
  readonly key?: readonly string[];
  readonly seed?: number;
  readonly callsMax?: number;
};

/** The day, as in 20261126: a second look on the same day sees the same records, and one a week later sees others. */
function seedOfDay(day: Date): number {
  return Number(day.toISOString().slice(0, 10).replaceAll("-", ""));
}

/** The choice of records, at a time by the clock of the store. @throws {ConfigError} more records than may be. */
export function choiceOf(
  { sample, key, seed }: Pick<VerifyOptions, "key" | "sample" | "seed">,
  now: Date,
): Choice {
  if (key !== undefined) return { keys: new Set(key) };
  if (sample <= sampleMax) return { size: sample, seed: seed ?? seedOfDay(now) };
  throw new ConfigError(`--sample takes ${sampleMax} records at most`);
}

type Verifying = {
  readonly config: Config;
  readonly sync: SyncConfig;
  readonly choice: Choice;
  readonly callsMax: number | undefined;
  readonly signal: AbortSignal;
};

async function verifyIn(
  context: Context,
  state: StateStore,
  { config, sync, choice, callsMax, signal }: Verifying,
): Promise<Verification> {
  const source = connectorOf({ sources: waitingSourcesOf(config, context) }, sync.connector);
  await checkColumns(source, sync, { signal, mayName: true });
  const at = new Date(state.now()).toISOString();
  const target = targetOf(config.api);
  const holder = holderOf({ state, target }, { kind: "sync", name: sync.name, at });
  await assertSameAccount(holder, config.api, { isFresh: false, isKept: false });
  const service = await useService(config, context);
  const { addresses } = service;
  const api = createServiceClient(config, {
    addresses,
    state,
    proxy: context.environment.proxy,
  });
  try {
    const family = "search";
    await assertMaySend(state, await currentKey(config.api), { ...systemClock()(), family });
    const pages = await mappedRows(source, sync, { limit: Number.MAX_SAFE_INTEGER, signal });
    const { name, stream } = sync;
    return await verifyRecords(
      { sync: name, stream, choice, callsMax, pages },
      {
        api,
        rejectsDuplicates: rejectsDuplicates(source, sync),
        knownOf: async (keys) => await knownOf(state, { config, sync }, keys),
        now: () => state.now(),
        signal,
        announce: ({ records, read }, calls) => {
          const many = `${counted(records.length, "record")} of ${read}`;
          context.say(`${name}: ${many}: ${counted(calls, "call")}, which cost credits`);
        },
      },
    );
  } finally {
    await api.close();
    await service.release();
  }
}

/** The verdicts by which a look is not well. */
const wrongVerdicts = ["differs", "missing", "unanswered"] as const;

/** The exit code of a look, `except` for one verdict. */
function exitCodeOf(
  { looked }: Verification,
  { signal, except }: { readonly signal: AbortSignal; readonly except?: "missing" },
): number {
  if (signal.aborted) return exitCodes.interrupted;
  if (looked.stopped !== undefined) return exitCodeOfError(looked.stopped);
  const wrong: readonly string[] = wrongVerdicts.filter((verdict) => verdict !== except);
  const isWrong = looked.records.some(({ verdict }) => wrong.includes(verdict));
  return isWrong ? exitCodes.doneWithRejects : exitCodes.done;
}

async function verifySync(
  context: Context,
  name: string | undefined,
  options: VerifyOptions,
): Promise<void> {
  const config = await configOf(context, options);
  const sync = syncNamed(config, name);
  assertVerifiable(sync);
  const choice = choiceOf(options, await storeNow(config));
  assertAskable(context, config, { sync, options });
  if (options.resend === true) outliveReader();
  const interrupted = onInterrupt();
  const { signal } = interrupted;
  const { callsMax } = options;
  const found = await withStateThere(config, async (state) => {
    if (state === undefined) {
      throw new ConfigError(
        `there is nothing to verify: nothing of sync ${sync.name} was sent yet`,
        {
          hint: `\`sluice run ${sync.name}\` sends it`,
        },
      );
    }
    return await verifyIn(context, state, { config, sync, choice, callsMax, signal });
  }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
    return undefined;
  });
  if (found === undefined) {
    context.say(`${sync.name}: interrupted: nothing was looked up`);
    context.exit(exitCodes.interrupted);
    return;
  }
  const seed = "seed" in choice ? choice.seed : undefined;
  const shown: ShownVerification = { ...found, sync: sync.name, seed };
  context.print(options.json === true ? verifyJson(shown) : verifyText(shown));
  const hint = found.looked.stopped?.hint;
  if (hint !== undefined) context.say(`→ ${hint}`);
  const kept = keepWorst(context);
  kept.exit(exitCodeOf(found, { signal, except: "missing" }));
  // Until a run has sent what is missing.
  context.exit(exitCodeOf(found, { signal }));
  if (options.resend !== true || signal.aborted) return;
  const missing = found.looked.records.filter(({ verdict }) => verdict === "missing");
  const keys = missing.map(({ record }) => record.key);
  await resendMissing(kept, { config, sync, keys, options, interrupted });
}

/** `sluice verify [sync]`. */
export const registerVerify: Register = (program, context) => {
  withGlobals(program.command("verify [sync]"), "lines")
    .summary("look up in the service whether it holds what was sent")
    .description(
      "look up records in the service, by domain or e-mail address, and compare what its search shows with what it " +
        "is known to hold; each costs a call, and the number is said first",
    )
    .option("--sample <records>", "how many records are drawn", positive, sampleDefault)
    .option("--key <key>", "the record of this key instead; may be repeated", repeated)
    .option("--seed <number>", "draws the same records again (default: the day)", positive)
    .option("--calls-max <calls>", "never make more calls than this", positive)
    .option("--resend", "send those that are missing again, as their rows are now")
    .option("--yes", "with --resend: do not ask")
    .action(
      async (name: string | undefined, options: VerifyOptions) =>
        await verifySync(context, name, options),
    );
};
