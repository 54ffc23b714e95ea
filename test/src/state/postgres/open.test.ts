import { describe, expect, it, onTestFinished } from "vitest";

import { exitCodeOfError, exitCodes } from "../../../../src/cli/output/exit-code.ts";
import { ConfigError, StateUnavailableError } from "../../../../src/errors.ts";
import { Secret } from "../../../../src/security/secret.ts";
import { stateOnPort } from "../../../../src/state/port.ts";
import { openPostgresStore } from "../../../../src/state/postgres/open.ts";
import { numbers } from "../../../support/sequences.ts";
import { name } from "../store-under-test.ts";
import { newServer, openMigrated } from "./postgres-store.ts";

const at = "2026-01-01T00:00:00.000Z";

describe("a store in Postgres, in its thread", () => {
  it("is one for all who open it, and for other threads over a port", async () => {
    const { server } = await openMigrated();
    const [one, other] = [await openPostgresStore(server), await openPostgresStore(server)];
    onTestFinished(async () => await other.close());
    expect(one.storeId).toMatch(/^[\da-f-]{36}$/);
    expect(other.storeId).toBe(one.storeId);
    const change = { ...name, version: 0, position: { line: 3 }, reason: "a test", at };
    await stateOnPort(one.openPort()).setCheckpoint(change);
    expect(await other.checkpoint(name)).toMatchObject({ version: 1, position: { line: 3 } });
    await one.close();
    await expect(one.checkpoint(name)).rejects.toThrow(StateUnavailableError);
  });

  it("finishes what is under way when it is closed", async () => {
    const { server } = await openMigrated();
    const store = await openPostgresStore(server);
    const lock = { workflowId: "w", firstRunId: "f", kind: "sync", at } as const;
    const taken = numbers(20).map(
      async (number) => await store.takeLock({ ...lock, name: `lock ${number}`, runId: "r" }),
    );
    // So many that some still wait in the thread's port when it is closed.
    const asked = numbers(3_000).map(async () => await store.lockHolder("lock 0"));
    await store.close();
    await Promise.all([...taken, ...asked]);
    const again = await openPostgresStore(server);
    onTestFinished(async () => await again.close());
    expect(await again.lockHolder("lock 19")).toMatchObject({ runId: "r" });
  });

  it("a role need have no right to what else is in the schema", async () => {
    const { server, test } = await openMigrated();
    const schema = `"Sluice's state"`;
    await test.query("create role host login password 'not so secret'");
    onTestFinished(async () => void (await test.query("drop owned by host; drop role host")));
    await test.query(`grant usage on schema ${schema} to host;
      grant select, insert, update, delete on all tables in schema ${schema} to host`);
    await test.query(`create table ${schema}.customers (id text)`);
    const url = new Secret(test.urlOf("host", "not so secret"));
    const store = await openPostgresStore({ ...server, url });
    await store.close();
    expect(store.storeId).toMatch(/^[\da-f-]{36}$/);
  });

  it("says why it cannot be opened, without the password", async () => {
    const { test: _, ...server } = await newServer();
    await expect(openPostgresStore(server)).rejects.toThrow(ConfigError);
    await expect(openPostgresStore(server)).rejects.toThrow("has no tables yet");
    const away = new Secret("postgres://sluice:hushhush@127.0.0.1:1/state");
    const error: unknown = await openPostgresStore({ ...server, url: away }).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(StateUnavailableError);
    expect(String(error)).not.toContain("hushhush");
  });

  it("ends a command by 4 while its server is away, and by 2 where it needs a person", async () => {
    const { test: _, ...server } = await newServer();
    const codeAt = async (url: Secret): Promise<number> =>
      await openPostgresStore({ ...server, url }).then(
        () => 0,
        (error: unknown) => exitCodeOfError(error),
      );
    const away = new Secret("postgres://sluice@127.0.0.1:1/state");
    expect(await codeAt(away)).toBe(exitCodes.unreachable);
    const unknown = new Secret("postgres://sluice@no-such-host.invalid/state");
    expect(await codeAt(unknown)).toBe(exitCodes.usage);
    expect(await codeAt(server.url)).toBe(exitCodes.usage);
  });
});
