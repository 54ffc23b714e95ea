import { randomBytes } from "node:crypto";
import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { makePrivateFolder } from "../security/private-file.ts";

/** Holds a data folder for one sandbox at a time. */
export type FolderLock = { release(): void };

/**
 * Makes the folder, for its owner only, and locks it. The lock is SQLite's, which the system releases with the process,
 * so a killed sandbox leaves none behind.
 * @throws when another sandbox holds the folder.
 */
export async function lockFolder(dataFolder: string): Promise<FolderLock> {
  makePrivateFolder(dataFolder);
  const path = join(dataFolder, "lock.db");
  await (await open(path, "a", 0o600)).close();
  const lock = new DatabaseSync(path);
  try {
    lock.exec("begin exclusive");
  } catch (error) {
    lock.close();
    throw new Error(`The data folder ${dataFolder} is in use by another sandbox`, { cause: error });
  }
  return { release: () => lock.close() };
}

/** The key that signs upload addresses; stored, so that an address survives a restart. Call it under the lock. */
export async function signingKeyOf(dataFolder: string): Promise<Buffer> {
  const path = join(dataFolder, "signing-key");
  await using file = await open(path, "a", 0o600);
  if ((await file.stat()).size === 0) {
    await file.appendFile(randomBytes(32));
    await file.sync();
  }
  return await readFile(path);
}
