import { findConfigFile } from "../../config/document/find.ts";
import type { Context } from "./context.ts";

/** `store:` at the beginning of a line. */
const storeMember = /^["']?store["']?\s*:/m;

/**
 * Whether the configuration seems to have its state in Postgres, by its text alone. It is read in full later, and the
 * caller only wants to begin something early.
 */
export async function namesStore(
  { cwd, environment }: Pick<Context, "cwd" | "environment">,
  path: string | undefined,
): Promise<boolean> {
  const search = { path, cwd, env: environment.variables };
  const file = await findConfigFile(search).catch(() => undefined);
  return file !== undefined && storeMember.test(file.text);
}
