import { describe, expect, it } from "vitest";

import { ConfigError } from "../../../../src/errors.ts";
import { openPostgresInbox } from "../../../../src/inbox/postgres/open.ts";
import { copyStore } from "../../../../src/state/copy/copy-store.ts";
import { lookAtStore } from "../../../../src/state/postgres/look-at-store.ts";
import {
  migrateStore,
  pendingStatements,
  renameProject,
} from "../../../../src/state/postgres/migrate.ts";
import { openPostgresMethods } from "../../../../src/state/postgres/open-methods.ts";
import type { StoreServer } from "../../../../src/state/postgres/server.ts";
import { temporaryFolder } from "../../../support/process/temporary-folder.ts";
import { newServer } from "./postgres-store.ts";

type Projects = {
  readonly nobody: StoreServer;
  readonly one: StoreServer;
  readonly two: StoreServer;
};

async function newProjects(): Promise<Projects> {
  const { url, schema } = await newServer();
  const of = (project: string): StoreServer => ({ url, schema, project });
  return { nobody: { url, schema }, one: of("one"), two: of("two") };
}

async function open(server: StoreServer): Promise<void> {
  const { close } = await openPostgresMethods(server);
  await close();
}

const isOfOne = "is that of project one, and this is project two";

describe("a schema of Postgres belongs to one project", () => {
  it("which made it: another one is refused by whatever opens it, and told what to do", async () => {
    const { one, two } = await newProjects();
    await migrateStore(one);
    await open(one);
    const stateFolder = await temporaryFolder();
    const ways = [
      open,
      openPostgresInbox,
      lookAtStore,
      migrateStore,
      pendingStatements,
      async (server: StoreServer) => await copyStore({ stateFolder, server, to: "postgres" }),
    ];
    for (const way of ways) await expect(way(two)).rejects.toThrow(isOfOne);
    const refused: unknown = await open(two).catch((error: unknown) => error);
    if (!(refused instanceof ConfigError)) throw new Error(`no ConfigError: ${String(refused)}`);
    expect(refused.field).toBe("store.project");
    expect(refused.hint).toMatch(/a `schema` of its own.*sluice store rename --from one/);
  });

  it("which came first, where its tables were made in nobody's name", async () => {
    const { nobody, one, two } = await newProjects();
    await migrateStore(nobody);
    await open(nobody);
    const opened = await Promise.allSettled([open(one), open(one), open(one)]);
    expect(opened.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "fulfilled"]);
    await expect(open(two)).rejects.toThrow(isOfOne);
  });

  it("which was copied into it", async () => {
    const { nobody, one, two } = await newProjects();
    await migrateStore(nobody);
    await copyStore({ stateFolder: await temporaryFolder(), server: one, to: "postgres" });
    await expect(open(two)).rejects.toThrow(isOfOne);
  });

  it("and goes with it under another name, once it is said which it had", async () => {
    const { one, two } = await newProjects();
    await migrateStore(one);
    await expect(renameProject(two, "three")).rejects.toThrow("is that of one, not of three");
    await renameProject(two, "one");
    await open(two);
    await expect(open(one)).rejects.toThrow("is that of project two, and this is project one");
  });
});
