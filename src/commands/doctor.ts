import { accessSync, constants, existsSync } from "node:fs";
import { join } from "node:path";

import { messageOf } from "../errors.ts";
import { connectTemporal } from "../local/connect.ts";
import { temporalAnswers } from "../local/temporal-server.ts";
import { freeBytes } from "../staging/folder.ts";
import { configOf, exitCodes, withGlobals, withState } from "./context.ts";
import type { Context, GlobalOptions, Register } from "./context.ts";
import { byteText } from "./report-text.ts";

type Look = { readonly name: string; readonly look: () => Promise<string> };

/** Free bytes of disk below which a chunk and its upload may not fit. */
const freeBytesMin = 1_000_000_000;

function looksOf(context: Context, options: GlobalOptions): Look[] {
  const config = async (): ReturnType<typeof configOf> => await configOf(context, options);
  return [
    { name: "Node.js", look: async () => process.version },
    { name: "configuration", look: async () => (await config()).file },
    {
      name: "state store",
      look: async () => await withState(await config(), async ({ storeId }) => `store ${storeId}`),
    },
    {
      name: "disk",
      look: async () => {
        const { stateFolder } = await config();
        const folder = existsSync(stateFolder) ? stateFolder : join(stateFolder, "..");
        accessSync(folder, constants.W_OK);
        const free = await freeBytes(folder);
        if (free < freeBytesMin) throw new Error(`only ${byteText(free)} free in ${folder}`);
        return `${byteText(free)} free in ${folder}`;
      },
    },
    {
      name: "Temporal",
      look: async () => {
        const { temporalAddress } = context.environment;
        if (temporalAddress !== undefined) {
          const { close } = await connectTemporal(undefined);
          await close();
          return temporalAddress;
        }
        const isThere = await temporalAnswers("127.0.0.1:7233");
        return isThere ? "127.0.0.1:7233 answers" : "none runs: `sluice run` starts one";
      },
    },
  ];
}

/** `sluice doctor`. */
export const registerDoctor: Register = (program, context) => {
  withGlobals(program.command("doctor"))
    .description("look whether this machine has what sluice needs")
    .action(async (options: GlobalOptions) => {
      for (const { name, look } of looksOf(context, options)) {
        const found = await look().then(
          (detail) => ({ name, ok: true, detail }),
          (error: unknown) => ({ name, ok: false, detail: messageOf(error) }),
        );
        if (!found.ok) context.exit(exitCodes.failed);
        context.print(
          options.json
            ? JSON.stringify(found)
            : `${found.ok ? "ok  " : "FAIL"}  ${name}: ${found.detail}`,
        );
      }
    });
};
