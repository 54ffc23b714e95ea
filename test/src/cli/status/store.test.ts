import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { Command } from "commander";
import { describe, expect, it } from "vitest";

import { registerStore } from "../../../../src/cli/status/store.ts";
import { readEnvironment } from "../../../../src/config/environment.ts";
import { processName } from "../../../../src/local/process-identity.ts";
import { openStateStore } from "../../../../src/state/open.ts";
import { migrateStore } from "../../../../src/state/postgres/migrate.ts";
import { temporaryFolder } from "../../../support/process/temporary-folder.ts";
import { newServer } from "../../state/postgres/postgres-store.ts";

describe("sluice store rename", () => {
  it("is told as nothing that a store in a folder needs", async () => {
    const folder = await temporaryFolder();
    const yaml = { version: 1, api: { api_key: "none" }, connections: {}, syncs: {} };
    await writeFile(join(folder, "sluice.yaml"), JSON.stringify(yaml));
    const program = new Command().exitOverride();
    const silent = { print: () => undefined, say: () => undefined, exit: () => undefined };
    registerStore(program, { cwd: folder, environment: readEnvironment({}), ...silent });
    const renaming = program.parseAsync(["store", "rename", "--from", "one"], { from: "user" });
    await expect(renaming).rejects.toMatchObject({
      hint: expect.stringMatching(/^only one in Postgres needs this/) as unknown,
    });
  });

  it("says whose the store is, where it never had the name that is given", async () => {
    const { url, schema } = await newServer();
    const folder = await temporaryFolder();
    const store = { url: url.reveal(), schema, project: "two" };
    const yaml = { version: 1, api: { api_key: "none" }, store, connections: {}, syncs: {} };
    await writeFile(join(folder, "sluice.yaml"), JSON.stringify(yaml));
    const before = { url, schema, project: "one" };
    await migrateStore(before);
    // A worker that was killed a moment ago: its last beat is fresh, and its process is gone.
    const state = await openStateStore({ stateFolder: folder, store: before });
    const name = processName("host").replace(/ \S+$/, " 1");
    const gone = { hostId: "host", process: "7", temporalId: "t", version: "1", name };
    await state.beat({ ...gone, lastBeat: state.now() });
    await state.close();
    const renamed = async (from: string): Promise<string> => {
      const lines: string[] = [];
      const say = (text: string): void => void lines.push(text);
      const environment = readEnvironment({});
      const program = new Command().exitOverride();
      registerStore(program, { cwd: folder, environment, print: say, say, exit: () => undefined });
      await program.parseAsync(["store", "rename", "--from", from], { from: "user" });
      return lines.join("\n");
    };
    const said = `schema ${schema}`;
    await expect(renamed("tow")).rejects.toMatchObject({
      message: expect.stringMatching(new RegExp(`${said} is that of one, not of tow$`)) as unknown,
      hint: "where that is this project's old name: `sluice store rename --from one`",
    });
    expect(await renamed("one")).toMatch(new RegExp(`${said} is that of project two$`));
    await expect(renamed("one")).rejects.toMatchObject({
      message: expect.stringMatching(new RegExp(`${said} is that of two, not of one$`)) as unknown,
      hint: "this is that project: nothing is to be renamed",
    });
  });
});
