import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

import { parse } from "yaml";

import { findConfigFile, type FoundFile } from "../../config/document/find.ts";
import type { Environment } from "../../config/environment.ts";
import { membersOf } from "../../config/schema/members.ts";
import type { StateAddress } from "../../state/open.ts";

/** How many of the newest runs are offered. */
const runsOffered = 20;

type Variables = Environment["variables"];

/** The names in a project, as far as they can be read: a completion does not report faults. */
export type Names = {
  readonly syncs: readonly string[];
  readonly pulls: readonly string[];
  readonly connections: readonly string[];
  /** Newest first; only runs of `kind` if it is given. */
  readonly runs: (kind?: "backfill") => Promise<readonly string[]>;
};

/**
 * The members of a YAML text, whether or not it is a valid configuration: checking takes longer than a person waits for
 * a word.
 */
function readMembers(text: string): Readonly<Record<string, unknown>> {
  try {
    return membersOf(parse(text, { logLevel: "silent" }));
  } catch {
    return {};
  }
}

/** The address of a configuration's state; undefined if nothing is there yet. */
async function addressOf(file: FoundFile, env: Variables): Promise<StateAddress | undefined> {
  const folder = dirname(file.path);
  const { readVariables } = await import("../../config/document/variables.ts");
  const { parseConfigDocument } = await import("../../config/document/document.ts");
  const { storeSchema, storeServerOf } = await import("../../config/schema/store.ts");
  const variables = await readVariables(folder, env);
  const { state, store: written } = membersOf(parseConfigDocument(file.text, variables).data);
  const named =
    variables.get("SLUICE_STATE_DIR") || (typeof state === "string" ? state : ".sluice");
  const stateFolder = resolve(folder, named);
  if (written !== undefined) {
    return { stateFolder, store: storeServerOf(storeSchema.parse(written)) };
  }
  return existsSync(join(stateFolder, "state.db")) ? { stateFolder, store: undefined } : undefined;
}

async function runsIn(
  file: FoundFile,
  env: Variables,
  kind: "backfill" | undefined,
): Promise<readonly string[]> {
  const address = await addressOf(file, env);
  if (address === undefined) return [];
  const { openStateStore } = await import("../../state/open.ts");
  const state = await openStateStore(address, { onlyReads: true });
  try {
    const runs = await state.runs({ limit: runsOffered });
    return runs.filter((run) => kind === undefined || run.kind === kind).map(({ runId }) => runId);
  } finally {
    await state.close();
  }
}

/** Reads the names in the given configuration, or in the nearest one. */
export async function readNames(
  { cwd, environment }: { readonly cwd: string; readonly environment: Environment },
  config: string | undefined,
): Promise<Names> {
  const env = environment.variables;
  const file = await findConfigFile({ path: config, cwd, env }).catch(() => undefined);
  const members = file === undefined ? {} : readMembers(file.text);
  const named = (member: string): readonly string[] =>
    Object.keys(membersOf(members[member])).filter((name) => /^[\w.-]+$/.test(name));
  return {
    syncs: named("syncs"),
    pulls: named("pulls"),
    connections: named("connections"),
    runs: async (kind) => (file === undefined ? [] : await runsIn(file, env, kind).catch(() => [])),
  };
}
