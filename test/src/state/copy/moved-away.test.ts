import { rename } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, it, onTestFinished } from "vitest";

import { ConfigError } from "../../../../src/errors.ts";
import type { CopyEnd } from "../../../../src/state/copy/copy-end.ts";
import { copyStore } from "../../../../src/state/copy/copy-store.ts";
import { marksOf } from "../../../../src/state/copy/marks.ts";
import { PostgresEnd } from "../../../../src/state/copy/postgres-end.ts";
import { SqliteEnd } from "../../../../src/state/copy/sqlite-end.ts";
import { openPostgresMethods } from "../../../../src/state/postgres/open-methods.ts";
import { openStoreInline } from "../../../support/project/inline-threads.ts";
import { StoreUnderTest } from "../store-under-test.ts";
import { newFolder, newServer, sendRun } from "./support.ts";

/** Leaves both ends as a copy does that is killed before it fills its target. */
async function cutOff(from: CopyEnd, into: CopyEnd): Promise<void> {
  const marks = marksOf({ from, into }, { from: await from.facts(), into: await into.facts() });
  await from.prepare();
  await into.mark(marks.into);
  await from.mark(marks.from);
  await Promise.all([from.close(), into.close()]);
}

describe("a copy of a store that moved away", () => {
  it("is made from a store that moved away into nothing but what it moved to", async () => {
    const stateFolder = await newFolder();
    const store = await openStoreInline(stateFolder);
    await sendRun(StoreUnderTest.of(stateFolder, store), "r1", { keys: ["a"] });
    await store.close();
    const server = await newServer();
    await copyStore({ stateFolder, server, to: "postgres" });
    await copyStore({ stateFolder, server, to: "sqlite" });
    // Another host's folder has the same path; this host's may be lost.
    for (const file of ["state.db", "inbox.db"])
      await rename(join(stateFolder, file), join(stateFolder, `lost ${file}`));
    const again = copyStore({ stateFolder, server, to: "sqlite" });
    await expect(again).rejects.toThrow(ConfigError);
    await expect(again).rejects.toThrow("was moved");
    await expect(openPostgresMethods(server)).rejects.toThrow("was moved");
    // A host that the project has left has it no more, either.
    const elsewhere = await newServer();
    for (const file of ["state.db", "inbox.db"])
      await rename(join(stateFolder, `lost ${file}`), join(stateFolder, file));
    await copyStore({ stateFolder, server: elsewhere, to: "postgres" });
    await expect(copyStore({ stateFolder, server, to: "sqlite" })).rejects.toThrow("was moved");
  });

  it("is not made back from the target of a copy that was cut off", async () => {
    const stateFolder = await newFolder();
    const store = await openStoreInline(stateFolder);
    onTestFinished(async () => await store.close());
    await sendRun(StoreUnderTest.of(stateFolder, store), "r1", { keys: ["a"] });
    const server = await newServer();
    await cutOff(new SqliteEnd(stateFolder), await PostgresEnd.open(server));
    await expect(copyStore({ stateFolder, server, to: "sqlite" })).rejects.toThrow("was moved");
    const { tables } = await copyStore({ stateFolder, server, to: "postgres" });
    expect(tables).toMatchObject({ runs: 1 });
    // The folder's store is older now than what a copy back would replace.
    await cutOff(await PostgresEnd.open(server), new SqliteEnd(stateFolder));
    await expect(copyStore({ stateFolder, server, to: "postgres" })).rejects.toThrow("was moved");
    const back = await copyStore({ stateFolder, server, to: "sqlite" });
    expect(back.tables).toMatchObject({ runs: 1 });
  });
});
