import { loadMapping } from "../../mapping/load.ts";
import { configOf, withGlobals, type GlobalOptions, type Register } from "../output/context.ts";
import { receiverConnections, unreadTexts } from "../serve/push-connections.ts";

/** `sluice validate`. */
export const registerValidate: Register = (program, context) => {
  withGlobals(program.command("validate"))
    .description("check the configuration, without reading a source")
    .action(async (options: GlobalOptions) => {
      const config = await configOf(context, options);
      for (const sync of config.syncs.values()) await loadMapping(sync);
      for (const text of unreadTexts(receiverConnections(config))) context.say(text);
      const names = {
        connections: [...config.connections.keys()],
        syncs: [...config.syncs.keys()],
        pulls: [...config.pulls.keys()],
      };
      const listed = Object.entries(names).map(
        ([what, named]) => `${what} ${named.join(", ") || "none"}`,
      );
      context.print(
        options.json
          ? JSON.stringify({ file: config.file, ...names })
          : `${config.file} is fine: ${listed.join("; ")}`,
      );
    });
};
