import { loadMapping } from "../mapping/load.ts";
import { configOf, withGlobals, type GlobalOptions, type Register } from "./context.ts";

/** `sluice validate`. */
export const registerValidate: Register = (program, context) => {
  withGlobals(program.command("validate"))
    .description("check the configuration, without reading a source")
    .action(async (options: GlobalOptions) => {
      const config = await configOf(context, options);
      for (const sync of config.syncs.values()) await loadMapping(sync);
      const [connections, syncs] = [[...config.connections.keys()], [...config.syncs.keys()]];
      context.print(
        options.json
          ? JSON.stringify({ file: config.file, connections, syncs })
          : `${config.file} is fine: connections ${connections.join(", ") || "none"}; syncs ${syncs.join(", ") || "none"}`,
      );
    });
};
