import { randomBytes } from "node:crypto";

import { inboxFileIn } from "../../../../src/inbox/file.ts";
import { openInboxDatabase } from "../../../../src/inbox/sqlite/database.ts";
import { Secret } from "../../../../src/security/secret.ts";
import type { StoreServer } from "../../../../src/state/postgres/server.ts";
import { postgresServer } from "../../../support/postgres/postgres.ts";
import { temporaryFolder } from "../../../support/process/temporary-folder.ts";
import { openStoreInline } from "../../../support/project/inline-threads.ts";

/** An empty schema. */
export async function newServer(): Promise<StoreServer> {
  const url = new Secret(await postgresServer());
  return { url, schema: `copy ${randomBytes(6).toString("hex")}` };
}

/** A folder with an empty store and an empty inbox. */
export async function newFolder(): Promise<string> {
  const stateFolder = await temporaryFolder();
  await (await openStoreInline(stateFolder)).close();
  openInboxDatabase(inboxFileIn(stateFolder)).close();
  return stateFolder;
}
