import { connectorOf } from "../../../connectors/source.ts";
import { ConfigError } from "../../errors.ts";
import { configOf, withGlobals } from "../output/context.ts";
import type { GlobalOptions, Register } from "../output/context.ts";
import { exitCodeOfError, exitCodes } from "../output/exit-code.ts";
import { waitingSourcesOf } from "../running/wait-for-source.ts";
import { explainJson, explainText, isUnheardOf } from "./explain-text.ts";
import { explain } from "./explained.ts";
import { syncOrFormer } from "./former-sync.ts";

type ExplainOptions = GlobalOptions & { readonly place?: string; readonly scan?: boolean };

/** `sluice explain <sync> [key]`. */
export const registerExplain: Register = (program, context) => {
  withGlobals(program.command("explain <sync> [key]"))
    .summary("what became of a record, and what the next run does with it")
    .description(
      "what the source has of a key now, what the mapping makes of it, what the service is known to hold and who " +
        "sent it, its rejects, and what the next run does; nothing is sent or stored",
    )
    .option("--place <place>", "a row in place of a key: ./customers.csv:78, forms#12")
    .option("--scan", "read all of the source for rows of the key: files name theirs by line")
    .action(async (syncName: string, key: string | undefined, options: ExplainOptions) => {
      const config = await configOf(context, options);
      const sync = await syncOrFormer(config, syncName);
      const name = options.place ?? key;
      if (name === undefined || (key !== undefined && options.place !== undefined)) {
        throw new ConfigError("explain takes a key or --place", {
          hint: `\`sluice explain ${sync.name} <key>\`, or \`--place <file>:<line>\``,
        });
      }
      if (options.scan === true && options.place !== undefined) {
        throw new ConfigError("--scan looks for a key, and --place names its row");
      }
      const source = connectorOf({ sources: waitingSourcesOf(config, context) }, sync.connector);
      const isPlace = options.place !== undefined;
      const scans = options.scan === true;
      const explained = await explain({ config, sync, source, name, scans, isPlace });
      const { failed } = explained;
      if (failed !== undefined && isUnheardOf(explained)) throw failed;
      context.print(
        options.json === true ? explainJson(explained, sync) : explainText(explained, sync),
      );
      if (failed !== undefined) {
        context.exit(exitCodeOfError(failed));
      } else if (isUnheardOf(explained)) {
        const what = explained.isPlace
          ? "place as `sluice rejects list` names one"
          : "key as the source writes it";
        context.say(`→ nothing is known of it: is the ${what}?`);
        context.exit(exitCodes.usage);
      }
    });
};
