import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

import { parse } from "yaml";

import { findConfigFile } from "../../config/document/find.ts";
import type { Environment } from "../../config/environment.ts";
import { membersOf } from "../../config/schema/members.ts";

/** Newest runs that are offered. */
const runsOffered = 20;

/** What a project names, as far as it can be told: a completion is quiet about what is wrong. */
export type Names = {
  readonly syncs: readonly string[];
  readonly pulls: readonly string[];
  readonly connections: readonly string[];
  /** The newest first, of this kind alone when it is given. */
  readonly runs: (kind?: "backfill") => Promise<readonly string[]>;
};

/**
 * The members of a YAML text, whether or not it is a right configuration: to look takes longer than a person
 * waits for a word.
 */
function readMembers(text: string): Readonly<Record<string, unknown>> {
  try {
    return membersOf(parse(text, { logLevel: "silent" }));
  } catch {
    return {};
  }
}

async function runsIn(
  stateFolder: string,
  kind: "backfill" | undefined,
): Promise<readonly string[]> {
  if (!existsSync(join(stateFolder, "state.db"))) return [];
  const { openSqliteStore } = await import("../../state/sqlite/open.ts");
  const state = await openSqliteStore(stateFolder, { onlyReads: true });
  try {
    const runs = await state.runs({ limit: runsOffered });
    return runs.filter((run) => kind === undefined || run.kind === kind).map(({ runId }) => runId);
  } finally {
    await state.close();
  }
}

/** Reads what the nearest configuration names, or the one that is given. */
export async function readNames(
  { cwd, environment }: { readonly cwd: string; readonly environment: Environment },
  config: string | undefined,
): Promise<Names> {
  const env = environment.variables;
  const file = await findConfigFile({ path: config, cwd, env }).catch(() => undefined);
  const members = file === undefined ? {} : readMembers(file.text);
  const named = (member: string): readonly string[] =>
    Object.keys(membersOf(members[member])).filter((name) => /^[\w.-]+$/.test(name));
  const { state } = members;
  const written = typeof state === "string" ? state : ".sluice";
  const folder = file === undefined ? cwd : dirname(file.path);
  const stateFolder = resolve(folder, env["SLUICE_STATE_DIR"] || written);
  return {
    syncs: named("syncs"),
    pulls: named("pulls"),
    connections: named("connections"),
    runs: async (kind) => await runsIn(stateFolder, kind).catch(() => []),
  };
}
