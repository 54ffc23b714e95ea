import { randomBytes } from "node:crypto";
import { statSync } from "node:fs";
import { link, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { bootId } from "../clock.ts";
import { errorCodeOf, StateUnavailableError } from "../errors.ts";
import { makePrivateFolder } from "../security/private-file.ts";

/**
 * Names a state folder so that no copy of it has the same name: by the machine's boot, the disk and the folder's number
 * there. Containers of one machine that share the folder have the same name for it.
 */
export function folderName(stateFolder: string): string {
  const { dev, ino } = statSync(stateFolder, { bigint: true });
  return `${bootId() ?? "-"}/${dev}:${ino}`;
}

/**
 * The id of this host, made once and kept beside the staging folder, so that a restarted worker serves the same queue
 * and finds its staged files. Two processes that make it at the same moment agree on one.
 * @throws {StateUnavailableError} the file holds none
 */
export async function readHostId(stateFolder: string): Promise<string> {
  const file = join(stateFolder, "host-id");
  makePrivateFolder(stateFolder);
  const made = `${file}.${process.pid}.${randomBytes(4).toString("hex")}`;
  // Without `flush` a power cut could leave the name of a file without its id.
  await writeFile(made, randomBytes(6).toString("hex"), { mode: 0o600, flush: true });
  try {
    // A link is made whole or not at all, and never replaces another's.
    await link(made, file);
  } catch (error) {
    if (errorCodeOf(error) !== "EEXIST") throw error;
  } finally {
    await rm(made);
  }
  const id = await readFile(file, "utf8");
  if (/^\w/.test(id)) return id;
  throw new StateUnavailableError(`${file} holds no id of this host`, {
    hint: "remove it: the next start makes a new one, and chunks that were staged here are staged again",
  });
}
