import { accessSync, constants, existsSync } from "node:fs";
import { join } from "node:path";

import type { Config } from "../../config/config.ts";
import { ConfigError, messageOf, SluiceError } from "../../errors.ts";
import { temporalText } from "../../hosts/store-guards.ts";
import { connectTemporal, temporalOptions } from "../../local/connect.ts";
import { temporalIdOf, whyNoNamespace } from "../../local/presence.ts";
import { temporalAnswers } from "../../local/temporal-server.ts";
import { freeBytes } from "../../staging/folder.ts";
import { lookAtStore } from "../../state/postgres/look-at-store.ts";
import { storeName, type StoreServer } from "../../state/postgres/server.ts";
import { inStateFolder } from "../../state/sqlite/state-fault.ts";
import { plainJson, plainText } from "../../text/plain-text.ts";
import { byteText } from "../../text/quantities.ts";
import { configOf, withGlobals, withState } from "../output/context.ts";
import type { Context, GlobalOptions, Register } from "../output/context.ts";
import { exitCodes } from "../output/exit-code.ts";
import { okOrFail } from "../output/style.ts";
import { isOwnServer, reachTemporal, whyOtherReached } from "../running/reach-temporal.ts";
import { defaultTemporal, isTemporalConfigured } from "../running/services.ts";
import { storeText } from "../status/store.ts";

/** One look: returns what it found, or throws what is wrong. */
type Look = { readonly name: string; readonly look: () => Promise<string> };

type Found = {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
  /** What to do now. */
  readonly hint?: string | undefined;
};

async function found({ name, look }: Look): Promise<Found> {
  try {
    return { name, ok: true, detail: await look() };
  } catch (error) {
    const hint = error instanceof SluiceError ? error.hint : undefined;
    return { name, ok: false, detail: messageOf(error), hint };
  }
}

/** Free bytes of disk below which a chunk and its upload may not fit. */
const freeBytesMin = 1_000_000_000;

/** Checks that the Temporal that is reached from here is the one that the store is used with. */
async function lookForUsedTemporal(config: Config, context: Context): Promise<string> {
  const used = await withState(config, async (state) => await state.usedTemporal());
  if (used === undefined) return "none yet: the first worker says which";
  const reached = await reachTemporal(config, context);
  const isOwn = isOwnServer(config, used);
  const stopped = `${temporalText(used)}: the project's own, which \`sluice run\` starts when none runs`;
  if (reached === undefined) {
    if (isOwn) return stopped;
    throw new ConfigError(`the store is used with ${temporalText(used)}, and none runs here`, {
      hint: "set TEMPORAL_ADDRESS and TEMPORAL_NAMESPACE to that one",
    });
  }
  const { client, address, isFound, close } = reached;
  try {
    const temporalId = await temporalIdOf(client);
    const why = whyOtherReached(config, used, { temporalId, address, isFound });
    if (why !== undefined) throw why;
    return temporalId === used.id ? temporalText(used) : stopped;
  } finally {
    await close();
  }
}

/** The looks at a store in Postgres, and at what may be lost with it. */
function looksAtServer(server: StoreServer): Look[] {
  return [
    { name: storeName(server), look: async () => storeText(await lookAtStore(server)) },
    {
      name: "fail-over of the store",
      look: async () => {
        if (!(await lookAtStore(server)).losesOnFailOver) return "no commit is lost by it";
        throw new ConfigError("commits wait for no standby: the last ones may be lost", {
          hint: "set synchronous_standby_names on the server; lost records are noticed, and sent again",
        });
      },
    },
  ];
}

function looksAt(config: Config, context: Context): Look[] {
  const { stateFolder } = config;
  return [
    {
      name: "state store",
      look: async () => await withState(config, async ({ storeId }) => `store ${storeId}`),
    },
    ...(config.store === undefined
      ? []
      : [
          ...looksAtServer(config.store),
          {
            name: "Temporal of the store",
            look: async () => await lookForUsedTemporal(config, context),
          },
        ]),
    {
      name: "disk",
      look: async () => {
        const folder = existsSync(stateFolder) ? stateFolder : join(stateFolder, "..");
        await inStateFolder(stateFolder, async () => accessSync(folder, constants.W_OK));
        const free = await freeBytes(folder);
        if (free < freeBytesMin) throw new Error(`only ${byteText(free)} free in ${folder}`);
        return `${byteText(free)} free in ${folder}`;
      },
    },
  ];
}

/** Looks at the Temporal that a run would use: the named one, the project's own, or one at the default address. */
async function lookForTemporal(context: Context, config: Config | undefined): Promise<string> {
  const none = "none runs: `sluice run` starts one";
  if (config === undefined && !isTemporalConfigured(context)) {
    return (await temporalAnswers(defaultTemporal)) ? `${defaultTemporal} answers` : none;
  }
  const reached =
    config === undefined
      ? { ...(await connectTemporal(undefined)), address: undefined, isFound: false }
      : await reachTemporal(config, context);
  if (reached === undefined) return none;
  const { client, address, isFound, close } = reached;
  const missing = await whyNoNamespace(client);
  await close();
  if (isFound) return `${defaultTemporal} answers`; // perhaps another project's
  if (missing !== undefined) throw missing;
  return address ?? temporalOptions(undefined).connectionOptions.address ?? defaultTemporal;
}

/** `sluice doctor`. */
export const registerDoctor: Register = (program, context) => {
  withGlobals(program.command("doctor"), "lines")
    .description("check whether this machine has what sluice needs")
    .action(async (options: GlobalOptions) => {
      const told = new Set<string>();
      const show = async (look: Look): Promise<void> => {
        const one = await found(look);
        const { name, ok, detail, hint } = one;
        if (!ok) context.exit(exitCodes.failed);
        if (options.json) return context.print(plainJson(one));
        // A person need not read four times that the store is away.
        if (!ok && told.has(detail)) return;
        told.add(detail);
        context.print(`${okOrFail(ok)}  ${plainText(`${name}: ${detail}`)}`);
        if (hint !== undefined) context.print(`      → ${plainText(hint)}`);
      };
      await show({ name: "Node.js", look: async () => process.version });
      const loading = configOf(context, options);
      // The configuration says where the rest is; without one there is nothing to look at.
      const config = await loading.catch(() => undefined);
      await show({ name: "Temporal", look: async () => await lookForTemporal(context, config) });
      await show({ name: "configuration", look: async () => (await loading).file });
      for (const look of config === undefined ? [] : looksAt(config, context)) await show(look);
    });
};
