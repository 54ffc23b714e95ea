import type { z } from "zod";

import { membersOf } from "../../src/config/schema/members.ts";
import { ConfigError, messageOf } from "../../src/errors.ts";
import type { Source } from "../contract/connector.ts";
import type { PushSource } from "../contract/push.ts";
import { connectorApi } from "../contract/version.ts";
import { otherInterface } from "./find.ts";

/**
 * The one source among a module's exports.
 * @throws {ConfigError} there is none or more than one, or it cannot be used; `connector` names it in the message.
 */
export function sourceIn(exported: unknown, connector: string): PushSource | Source {
  const names = namesOfSources(exported);
  const [[source, name] = []] = names;
  if (source === undefined || name === undefined) {
    const others = Object.keys(membersOf(exported)).filter((one) => one !== "module.exports");
    const has = others.length === 0 ? "exports nothing" : `exports only ${others.join(", ")}`;
    throw new ConfigError(`${connector} exports no connector: it ${has}`, { hint: madeBy });
  }
  if (names.size > 1) {
    throw new ConfigError(
      `${connector} exports ${names.size} connectors: ${[...names.values()].join(", ")}`,
      { hint: "export one, and give each other one a file of its own" },
    );
  }
  assertMadeHere(source, { connector, name });
  const fault = faultOf(source);
  if (fault !== undefined) throw new ConfigError(`${connector}: ${fault.replace("%", name)}`);
  return source;
}

const madeBy = "export what pullSource() or pushSource() of sluice/connector made";

/**
 * The exports that look like a source, made by any copy of the interface or by hand; one with two names counts once.
 */
function namesOfSources(exported: unknown): ReadonlyMap<object, string> {
  const found = new Map<object, string>();
  for (const [name, value] of Object.entries(membersOf(exported))) {
    if (typeof value !== "object" || value === null || found.has(value)) continue;
    const { kind, read, receive } = membersOf(value);
    const isMade = kind === "pull" || kind === "push";
    if (isMade || typeof read === "function" || typeof receive === "function")
      found.set(value, name);
  }
  return found;
}

/** @throws {ConfigError} it was made by hand, by another version of the interface, or by another copy. */
function assertMadeHere(
  source: object,
  { connector, name }: { readonly connector: string; readonly name: string },
): asserts source is PushSource | Source {
  const { api } = membersOf(source);
  if (api === connectorApi) return;
  const made: unknown = membersOf(api)["version"] ?? api;
  if (made === undefined) {
    throw new ConfigError(
      `${connector}: its export ${name} was not made by pullSource() or pushSource()`,
      { hint: madeBy },
    );
  }
  if (made !== connectorApi.version) throw otherInterface(connector, JSON.stringify(made));
  throw new ConfigError(
    `${connector} brings a copy of sluice/connector of its own: its errors and secrets would not be known for ` +
      "what they are",
    { hint: "import it from sluice/connector, and leave sluice out of its bundle" },
  );
}

/** The fault of a connector that no compiler checked; `%` stands for its export's name. */
function faultOf(source: PushSource | Source): string | undefined {
  const needed = source.kind === "push" ? ["endpoint", "receive"] : ["read"];
  const missing = needed.find((member) => typeof membersOf(source)[member] !== "function");
  if (missing !== undefined) return `its export % has no function \`${missing}\``;
  if (typeof source.name !== "string" || source.name === "") return "its export % has no `name`";
  if (source.kind === "pull" && !isSchema(source.position)) {
    return "the `position` of % is not a zod schema";
  }
  if (!isSchema(source.config)) return "the `config` of % is not a zod schema";
  return membersFault(source.config);
}

/** Judges by the form: the schema may be of another copy of zod 4. */
function isSchema(value: unknown): value is z.ZodType {
  const { _zod: inner, safeParse } = membersOf(value);
  return typeof inner === "object" && typeof safeParse === "function";
}

function membersFault(config: z.ZodType): string | undefined {
  try {
    const { error } = config.safeParse({});
    const refusesAll = error?.issues.some((issue) => {
      return issue.code === "invalid_type" && issue.path.length === 0;
    });
    return refusesAll === true
      ? "the `config` of % takes no members: make it a z.strictObject({ … })"
      : undefined;
  } catch (error) {
    return `the \`config\` of % cannot be asked: ${messageOf(error)}`;
  }
}
