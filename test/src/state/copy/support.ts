import { randomBytes } from "node:crypto";

import { inboxFileIn } from "../../../../src/inbox/file.ts";
import { openInboxDatabase } from "../../../../src/inbox/sqlite/database.ts";
import { Secret } from "../../../../src/security/secret.ts";
import type { RejectEntry } from "../../../../src/state/contract/rejects/rejects.ts";
import type { StoreServer } from "../../../../src/state/postgres/server.ts";
import { postgresServer } from "../../../support/postgres/postgres.ts";
import { temporaryFolder } from "../../../support/process/temporary-folder.ts";
import { openStoreInline } from "../../../support/project/inline-threads.ts";
import { at, name, type StoreUnderTest } from "../store-under-test.ts";

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

/** A run, from its opening to its end, that sends the news among these keys, and rejects others: its verdicts. */
export async function sendRun(
  under: StoreUnderTest,
  runId: string,
  {
    keys,
    rejected = [],
  }: { readonly keys: readonly string[]; readonly rejected?: readonly string[] },
): Promise<readonly number[]> {
  const { store } = under;
  await under.openRun(runId);
  const { version: checkpointVersion } = await store.checkpoint(name);
  await store.setRunRange({ runId, checkpointVersion, from: { row: 1 } });
  const { stage, send } = await store.beginStaging({ runId, chunk: 1, host: "h" });
  const place = { runId, chunk: 1, stage };
  const verdicts = await under.judge({ ...place, send, keys });
  const rejects = rejected.map((key): RejectEntry => {
    const why = { step: "map", code: "required", reason: "bad" } as const;
    return { stream: "account", place: `${runId} ${key}`, key, ...why };
  });
  await store.addRejects({ ...place, rejects, at });
  await under.commit(place);
  await store.endRun({ runId, outcome: "done", endedAt: at });
  return verdicts;
}
