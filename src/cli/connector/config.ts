import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";

import { InvalidArgumentError } from "commander";
import type { z } from "zod";

import { parseConfigDocument } from "../../config/document/document.ts";
import { readFault } from "../../config/document/read-fault.ts";
import { readVariables } from "../../config/document/variables.ts";
import type { Environment } from "../../config/environment.ts";
import { problemsAt } from "../../config/messages/mistakes.ts";
import { configError } from "../../config/messages/problems.ts";
import { membersOf } from "../../config/schema/members.ts";
import { resolveSources } from "../../config/schema/sources.ts";
import { ConfigError } from "../../errors.ts";

/** A connector's configuration, given without a sluice.yaml. */
type GivenConfig = {
  readonly cwd: string;
  /** A file with the members of a connection. */
  readonly config?: string | undefined;
  readonly set?: Readonly<Record<string, unknown>> | undefined;
};

type Configured = { readonly config: z.ZodType };

/**
 * The given configuration, as a connector gets it; undefined if none is given. It is read as a connection of a
 * sluice.yaml in the same place: variables are filled in, and relative paths start there.
 * @throws {ConfigError} it cannot be read, or the connector's schema refuses it.
 */
export async function configGiven(
  { config: schema }: Configured,
  given: GivenConfig,
  environment: Environment,
): Promise<{ readonly config: unknown } | undefined> {
  const { cwd } = given;
  if (given.config === undefined) {
    if (given.set === undefined) return undefined;
    const { config, mistakes } = parsed(schema, given.set, cwd);
    if (mistakes.length === 0) return { config };
    const said = mistakes.map(({ path, message }) => [...path.map(String), message].join(": "));
    throw new ConfigError(said.join("\n"), { field: mistakes[0]?.path.map(String).join(".") });
  }
  const path = resolve(cwd, given.config);
  const text = await readText(path, given.config);
  const variables = await readVariables(dirname(path), environment.variables);
  const document = parseConfigDocument(text, variables);
  const shown = { name: given.config, text: document.shownText };
  if (!document.isReadable) throw configError(shown, document.problems);
  const { config, mistakes } = parsed(schema, membersOf(document.data), dirname(path));
  const problems = [...document.problems, ...problemsAt(document, mistakes)];
  if (problems.length > 0) throw configError(shown, problems);
  return { config };
}

async function readText(path: string, shown: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    throw new ConfigError(`${shown}: ${readFault(error)}`, { cause: error });
  }
}

const [name, connector] = ["it", "./it"];

/** The members of one connection, as the engine parses them. */
function parsed(
  schema: z.ZodType,
  members: Readonly<Record<string, unknown>>,
  folder: string,
): {
  readonly config: unknown;
  readonly mistakes: ReturnType<typeof resolveSources>["mistakes"];
} {
  const { connections, mistakes } = resolveSources({
    data: { connections: { [name]: { ...members, connector } } },
    connectors: new Map([[connector, { config: schema }]]),
    unloaded: new Map(),
    folder,
    inbox: { stateFolder: folder },
  });
  const inside = mistakes.map((mistake) => ({ ...mistake, path: mistake.path.slice(2) }));
  return { config: connections.get(name)?.config, mistakes: inside };
}

/** Reads `name=value` from the command line: a value that is JSON is parsed, any other is text. */
export function withMember(
  text: string,
  members: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> {
  const [, member, value = ""] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (member === undefined) throw new InvalidArgumentError("It must be name=value.");
  return { ...members, [member]: jsonOrText(value) };
}

function jsonOrText(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
