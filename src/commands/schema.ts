import { sources } from "../../connectors/registry.ts";
import { configJsonSchema } from "../config/json-schema.ts";
import type { Register } from "./context.ts";

/** `sluice schema`. */
export const registerSchema: Register = (program, context) => {
  program
    .command("schema")
    .description("print the JSON Schema of sluice.yaml, for an editor")
    .action(() => {
      context.print(JSON.stringify(configJsonSchema(sources), null, 2));
    });
};
