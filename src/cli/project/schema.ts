import { sources } from "../../../connectors/registry.ts";
import { configJsonSchema } from "../../config/schema/json-schema.ts";
import { withJson, type GlobalOptions, type Register } from "../output/context.ts";

/** `sluice schema`. */
export const registerSchema: Register = (program, context) => {
  withJson(program.command("schema"))
    .description("print the JSON Schema of sluice.yaml, for an editor")
    .action(({ json }: GlobalOptions) => {
      context.print(JSON.stringify(configJsonSchema(sources), null, json ? 0 : 2));
    });
};
