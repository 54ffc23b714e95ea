import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import { z } from "zod";

import type { Source } from "../../../connectors/contract/connector.ts";
import type { PushSource } from "../../../connectors/contract/push.ts";
import { readFault } from "../../config/document/read-fault.ts";
import { ConfigError, errorCodeOf } from "../../errors.ts";
import type { Context } from "../output/context.ts";
import { fileOf, loadSource } from "./load.ts";
import { placeholder, shownPath, templates } from "./templates.ts";

/**
 * Writes a harness beside a connector that has none, with the members of its own configuration; `path` is absolute.
 * @throws {ConfigError} it has one, or cannot be loaded.
 */
export async function addHarness(context: Context, path: string): Promise<void> {
  const at = { path, cwd: context.cwd };
  const source = await loadSource(at);
  const file = join(dirname(await fileOf(at)), "harness.ts");
  const shown = shownPath(context, file);
  const template = new URL(`connector-${source.kind}/harness.ts`, templates);
  const text = withMembers(await readFile(template, "utf8"), source);
  try {
    await writeFile(file, text, { flag: "wx" });
  } catch (error) {
    const isThere = errorCodeOf(error) === "EEXIST";
    if (isThere) throw new ConfigError(`${shown} is there already, and was left as it is`);
    throw new ConfigError(`${shown} cannot be written: ${readFault(error)}`, { cause: error });
  }
  context.say(`wrote ${shown}: have it fill your source, and set its \`config\``);
  context.print(`Next:\n  sluice connector test ${shownPath(context, path)}`);
}

/**
 * The harness of a template, with the members that a connector's configuration requires, each with a value of its type.
 */
function withMembers(template: string, { name, config }: PushSource | Source): string {
  const { properties, required } = shape.parse(
    z.toJSONSchema(config, { io: "input", unrepresentable: "any" }),
  );
  const members = required.map((member) => {
    const { type, enum: values } = properties[member] ?? {};
    const own = new RegExp(`\\b${member}: (\`[^\`]*\`|"[^"]*")`).exec(template)?.[1];
    const value = JSON.stringify(values?.[0] ?? examples.get(type) ?? "");
    return `${/^[a-z_$][\w$]*$/i.test(member) ? member : JSON.stringify(member)}: ${own ?? value}`;
  });
  return template
    .replaceAll(placeholder, name)
    .replace(/config: \{ .* \},\n/, () => `config: { ${members.join(", ")} },\n`);
}

const shape = z.object({
  properties: z
    .record(z.string(), z.object({ type: z.unknown(), enum: z.array(z.unknown()).optional() }))
    .default({}),
  required: z.array(z.string()).default([]),
});

/** A value for each type of JSON schema. A text is empty, for a person to fill in. */
const examples = new Map<unknown, unknown>([
  ["integer", 1],
  ["number", 1],
  ["boolean", true],
  ["array", []],
  ["object", {}],
]);
