import { once } from "node:events";
import { access, mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Connection } from "@temporalio/client";
import { request } from "undici";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { TemporalUnreachableError } from "../../../src/errors.ts";
import { findTemporal } from "../../../src/local/find-temporal.ts";
import {
  startTemporal,
  temporalAnswers,
  type EmbeddedTemporal,
  type TemporalOptions,
} from "../../../src/local/temporal-server.ts";
import { keptPorts } from "../../support/process/kept-ports.ts";

let binary = "";
let folder = "";
let started: EmbeddedTemporal[] = [];

beforeAll(async () => {
  binary = await findTemporal({ env: process.env, say: () => undefined });
}, 600_000);

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sluice-temporal-"));
  started = [];
});

afterEach(async () => {
  await Promise.all(started.map(async (server) => await server.stop()));
  await rm(folder, { recursive: true });
});

async function start(options: Partial<TemporalOptions> = {}): Promise<EmbeddedTemporal> {
  const logFile = join(folder, `${started.length}.log`);
  const server = await startTemporal({ binary, ip: "127.0.0.1", logFile, ...options });
  started.push(server);
  return server;
}

async function searchAttributeType(address: string): Promise<unknown> {
  const connection = await Connection.connect({ address });
  const { customAttributes } = await connection.operatorService.listSearchAttributes({
    namespace: "default",
  });
  await connection.close();
  return customAttributes["SluiceSync"];
}

describe("startTemporal", () => {
  it(
    "starts on the ports it is given, with its Web UI and our search attribute, and is gone when " +
      "stopped",
    async () => {
      const [port = 0, uiPort = 0] = await keptPorts(2);
      const server = await start({ ports: { port, uiPort } });
      expect(server.address).toBe(`127.0.0.1:${port}`);
      expect(server.uiAddress).toBe(`http://127.0.0.1:${uiPort}`);
      // 2 is Keyword.
      expect(await searchAttributeType(server.address)).toBe(2);
      const page = await request(server.uiAddress);
      expect(page.statusCode).toBe(200);
      expect(await page.body.text()).toContain("<!doctype html>");
      await server.stop();
      expect(await temporalAnswers(server.address)).toBe(false);
    },
  );

  it("continues with the database of an earlier start", async () => {
    const databaseFile = join(folder, "temporal.db");
    const [port = 0, uiPort = 0] = await keptPorts(2);
    await (await start({ databaseFile, ports: { port, uiPort } })).stop();
    await access(databaseFile);
    const again = await start({ databaseFile, ports: { port, uiPort } });
    expect(await searchAttributeType(again.address)).toBe(2);
  });

  it("takes other ports when other servers take the usual ones at the same moment", async () => {
    const servers = await Promise.all(
      ["a", "b", "c", "d"].map(async (name) => await start({ logFile: join(folder, name) })),
    );
    expect(new Set(servers.map(({ address }) => address)).size).toBe(4);
    expect(new Set(servers.map(({ uiAddress }) => uiAddress)).size).toBe(4);
    const [first, ...others] = servers;
    await first?.stop();
    for (const other of others) expect(await temporalAnswers(other.address)).toBe(true);
  });

  it("throws the reason from the log when a port that was asked for is taken", async () => {
    const [port = 0, uiPort = 0] = await keptPorts(2);
    const holder = createServer().listen(port, "127.0.0.1");
    await once(holder, "listening");
    const failing = start({ ports: { port, uiPort } });
    await expect(failing).rejects.toThrow(TemporalUnreachableError);
    await expect(failing).rejects.toThrow(/^Temporal ended .*\n[^]*address already in use/);
    holder.close();
  });
});
