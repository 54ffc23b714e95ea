import { sourcesOf } from "../../../connectors/registry.ts";
import { assertMayRepeat } from "../../../connectors/replayable.ts";
import { connectorOf } from "../../../connectors/source.ts";
import { targetOf, type Config, type SyncConfig } from "../../config/config.ts";
import { ConfigError } from "../../errors.ts";
import { counted } from "../../text/quantities.ts";
import { backfillWhole } from "../backfill/backfill.ts";
import { isConfirmed } from "../output/confirm.ts";
import { isAtTerminal, withState } from "../output/context.ts";
import type { Context, GlobalOptions } from "../output/context.ts";
import { exitCodes } from "../output/exit-code.ts";
import { transferNow } from "../run/run-now.ts";

/** The options about `--resend`. */
export type ResendOptions = GlobalOptions & { readonly resend?: boolean; readonly yes?: boolean };

/** The options that show a run, without those of the verification. */
function globalsOf({ config, json }: GlobalOptions): GlobalOptions {
  return { ...(config === undefined ? {} : { config }), ...(json === undefined ? {} : { json }) };
}

/**
 * To be called before a call is paid for.
 * @throws {ConfigError} records are to be sent again, but nobody can be asked, or this sync may not repeat any.
 */
export function assertAskable(
  context: Context,
  config: Config,
  of: { readonly sync: SyncConfig; readonly options: ResendOptions },
): void {
  const { resend, yes } = of.options;
  if (resend !== true) return;
  assertMayRepeat(of.sync, connectorOf({ sources: sourcesOf(config) }, of.sync.connector));
  if (yes === true || isAtTerminal(context)) return;
  throw new ConfigError("without a terminal to ask at, --resend needs --yes");
}

function forgottenText({ name }: SyncConfig, records: number): string {
  const known = `what was known of ${counted(records, "record")} is given up`;
  return `${known}: \`sluice backfill ${name}\` sends what is still missing`;
}

/**
 * Sends records again that the service does not find, as their rows are now: makes them unknown, so that a run sends
 * them. That is a run if each run reads the whole source, otherwise a backfill of all of it.
 */
export async function resendMissing(
  context: Context,
  of: {
    readonly config: Config;
    readonly sync: SyncConfig;
    readonly keys: readonly string[];
    readonly options: ResendOptions;
    readonly interrupted: AbortController;
  },
): Promise<void> {
  const { config, sync, keys, options, interrupted } = of;
  const { yes } = options;
  const shown = globalsOf(options);
  if (keys.length === 0) {
    context.say("nothing is missing, so nothing is sent again");
    return;
  }
  const question = `Send ${counted(keys.length, "missing record")} again? [y/N] `;
  const agreed = yes === true || (await isConfirmed(question, interrupted));
  if (agreed === undefined) context.exit(exitCodes.interrupted);
  if (agreed !== true) return;
  const { name, connectorConfig } = sync;
  const target = targetOf(config.api);
  // Not before a run can begin: if runs read only what changed, none would send them, and no look would miss them.
  let isForgotten = false;
  const before = async (): Promise<void> => {
    await withState(config, async (state) => await state.forgetKeys({ target, sync: name, keys }));
    isForgotten = true;
  };
  const source = connectorOf({ sources: sourcesOf(config) }, sync.connector);
  if (source.restart?.(connectorConfig) === "each-run") {
    const asked = { ...shown, wait: true };
    await transferNow(context, { config, syncs: [sync], options: asked, before });
  } else {
    let hasFailed = true;
    const exit = (code: number): void => {
      hasFailed = code === exitCodes.failed || code === exitCodes.usage;
      context.exit(code);
    };
    try {
      await backfillWhole({ ...context, exit }, config, { sync, options: shown, before });
    } finally {
      // No run that reads only what changed sends them, and no later look misses them.
      if (isForgotten && hasFailed) context.say(forgottenText(sync, keys.length));
    }
  }
}
