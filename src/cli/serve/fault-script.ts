import { dirname, resolve } from "node:path";

import { z } from "zod";

import { parseConfigDocument } from "../../config/document/document.ts";
import { readConfigFile } from "../../config/document/find.ts";
import { readVariables } from "../../config/document/variables.ts";
import { checkData, problemsAt } from "../../config/messages/mistakes.ts";
import { configError } from "../../config/messages/problems.ts";
import { duration, size } from "../../config/schema/units.ts";
import { ConfigError } from "../../errors.ts";
import { faultSchema } from "../../sandbox/faults/faults.ts";
import type { SandboxSettings } from "../../sandbox/http/server.ts";

const scriptSchema = z.strictObject({
  seed: z.int().min(0).default(0),
  confirms: z.enum(["lenient", "strict"]).default("lenient"),
  credits: z
    .strictObject({ calls: z.int().min(0).optional(), search: z.int().min(0).optional() })
    .optional(),
  requests_per_minute: z.int().min(1).optional(),
  page_items_max: z.int().min(1).optional(),
  faults: z.array(faultSchema({ duration, size })).default([]),
});

/** The settings of a sandbox that a fault script gives. */
export type FaultScript = Pick<
  SandboxSettings,
  | "confirms"
  | "creditCalls"
  | "faults"
  | "pageItemsMax"
  | "requestsPerMinute"
  | "searchCreditCalls"
  | "seed"
>;

/**
 * Reads a fault script as the configuration is read: with `${VAR}`, and reporting all problems at once.
 * @throws {ConfigError} there is no such file, or something is wrong with it.
 */
export async function readFaultScript(
  named: string,
  from: { readonly cwd: string; readonly env: Readonly<Record<string, string | undefined>> },
): Promise<FaultScript> {
  const file = await readConfigFile(resolve(from.cwd, named), from.cwd);
  if (file === undefined) {
    throw new ConfigError(`--faults names ${named}, but there is no such file`, {
      field: "--faults",
    });
  }
  const variables = await readVariables(dirname(file.path), from.env);
  const document = parseConfigDocument(file.text, variables);
  const checked = document.isReadable
    ? checkData(scriptSchema, document.data)
    : { output: undefined, mistakes: [] };
  const problems = [...problemsAt(document, checked.mistakes), ...document.problems];
  if (problems.length > 0 || checked.output === undefined) {
    throw configError({ name: file.name, text: document.shownText }, problems);
  }
  const { seed, confirms, credits, faults } = checked.output;
  return {
    seed,
    confirms,
    faults,
    creditCalls: credits?.calls,
    searchCreditCalls: credits?.search,
    requestsPerMinute: checked.output.requests_per_minute,
    pageItemsMax: checked.output.page_items_max,
  };
}
