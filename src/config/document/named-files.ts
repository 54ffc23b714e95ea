import { readFile } from "node:fs/promises";
import { resolve } from "node:path";

import { sha256 } from "../hash.ts";
import type { Mistake } from "../messages/mistakes.ts";
import { membersOf } from "../schema/members.ts";
import { readFault } from "./read-fault.ts";
import { readSecretFile } from "./secret-file.ts";

/** Matches the path of a mapping module. */
export const modulePath = /\.(?:ts|js|mjs)$/;

/** The contents of the files that a configuration names, as far as they can be read. */
export type NamedFiles = {
  /** The content of `api_key_file`. */
  readonly apiKey: string | undefined;
  /** Sha256 of each mapping module's bytes, without what it imports, by the sync's name. */
  readonly moduleHashes: ReadonlyMap<string, string>;
  readonly mistakes: readonly Mistake[];
};

/** Reads the files that unchecked configuration data names; paths are relative to `folder`. */
export async function readNamedFiles(data: unknown, folder: string): Promise<NamedFiles> {
  const mistakes: Mistake[] = [];
  const moduleHashes = new Map<string, string>();
  let apiKey: string | undefined;

  const name = membersOf(membersOf(data)["api"])["api_key_file"];
  if (typeof name === "string" && name !== "") {
    const secret = await readSecretFile({ path: resolve(folder, name), name });
    if ("value" in secret) apiKey = secret.value;
    else mistakes.push({ path: ["api", "api_key_file"], on: "value", message: secret.fault });
  }
  for (const [sync, value] of Object.entries(membersOf(membersOf(data)["syncs"]))) {
    const { record } = membersOf(value);
    if (typeof record !== "string" || !modulePath.test(record)) continue;
    try {
      moduleHashes.set(sync, sha256(await readFile(resolve(folder, record))));
    } catch (error) {
      const message = `cannot read this module: ${readFault(error)}`;
      mistakes.push({ path: ["syncs", sync, "record"], on: "value", message });
    }
  }
  return { apiKey, moduleHashes, mistakes };
}
