import { join } from "node:path";

import { WorkflowNotFoundError, type Client } from "@temporalio/client";
import { describe, expect, it, onTestFinished } from "vitest";

import { connectTemporal } from "../../../src/local/connect.ts";
import { findTemporal } from "../../../src/local/find-temporal.ts";
import {
  startTemporal,
  type EmbeddedTemporal,
  type TemporalPorts,
} from "../../../src/local/temporal-server.ts";
import { createDoorbell, type Doorbell } from "../../../src/webhooks/doorbell.ts";
import { keptPorts } from "../../support/process/kept-ports.ts";
import { until } from "../../support/process/process.ts";
import { temporaryFolder } from "../../support/process/temporary-folder.ts";

const timeoutMs = 120_000;
const taskQueue = "sluice";

async function temporalPorts(): Promise<TemporalPorts> {
  const [port = 0, uiPort = 0] = await keptPorts(2);
  return { port, uiPort };
}

/** A server on these ports, which forgets everything when it stops; it ends with the test. */
async function temporalOn(ports: TemporalPorts): Promise<EmbeddedTemporal> {
  const server = await startTemporal({
    binary: await findTemporal({ env: process.env, say: () => undefined }),
    ip: "127.0.0.1",
    ports,
    logFile: join(await temporaryFolder(), "temporal.log"),
  });
  onTestFinished(async () => await server.stop());
  return server;
}

/** A doorbell of the server on these ports, with what it logged and how often it connected. */
function doorbellTo({ port }: TemporalPorts): {
  readonly doorbell: Doorbell;
  readonly lines: string[];
  readonly connected: () => number;
} {
  const lines: string[] = [];
  let connected = 0;
  const say = (_: object, text: string): void => void lines.push(text);
  const doorbell = createDoorbell({
    connect: async () => {
      connected += 1;
      return (await connectTemporal(`127.0.0.1:${port}`)).client;
    },
    taskQueue,
    log: { info: say, warn: say },
    firstMs: 50,
  });
  onTestFinished(async () => await doorbell.close());
  return { doorbell, lines, connected: () => connected };
}

async function clientOf({ port }: TemporalPorts): Promise<Client> {
  const { client, close } = await connectTemporal(`127.0.0.1:${port}`);
  onTestFinished(close);
  return client;
}

/** What the drain of a connection was told: its input, and the input of each ring. */
async function toldTo(
  client: Client,
  workflowId: string,
): Promise<{ readonly started: unknown; readonly rings: readonly unknown[] }> {
  const { events } = await client.workflow.getHandle(workflowId).fetchHistory();
  const started = events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
  return {
    started: started.map(({ data }): unknown => JSON.parse(Buffer.from(data ?? []).toString())),
    rings: (events ?? []).flatMap(({ workflowExecutionSignaledEventAttributes: signal }) =>
      signal === null || signal === undefined ? [] : [signal.input?.payloads ?? []],
    ),
  };
}

describe("createDoorbell", () => {
  it(
    "starts a drain with the connection's name alone, and has what rings at once heard in two calls",
    async () => {
      const ports = await temporalPorts();
      await temporalOn(ports);
      const { doorbell, connected } = doorbellTo(ports);
      expect([doorbell.state(), connected()]).toEqual(["unknown", 0]);
      for (let ring = 0; ring < 1_000; ring++) doorbell.ring("forms");
      const client = await clientOf(ports);
      await until(async () => {
        const told = await toldTo(client, "inbox-forms").catch(() => undefined);
        return told?.rings.length === 2;
      });
      doorbell.ring("tickets");
      await doorbell.close();
      expect([doorbell.state(), connected()]).toEqual(["reachable", 1]);
      expect(await toldTo(client, "inbox-forms")).toEqual({
        started: [{ connection: "forms" }],
        rings: [[], []],
      });
      // What was under way when it was closed has ended, and what comes after it is not told.
      expect((await toldTo(client, "inbox-tickets")).rings).toEqual([[]]);
      doorbell.ring("forms");
      await doorbell.close();
      expect((await toldTo(client, "inbox-forms")).rings).toHaveLength(2);
    },
    timeoutMs,
  );

  it(
    "calls until Temporal is there, and once more on a connection of its own when it was lost",
    async () => {
      const ports = await temporalPorts();
      const { doorbell, lines } = doorbellTo(ports);
      doorbell.ring("forms");
      await until(async () => doorbell.state() === "away");
      const server = await temporalOn(ports);
      await until(async () => doorbell.state() === "reachable");
      const client = await clientOf(ports);
      expect((await toldTo(client, "inbox-forms")).rings).toEqual([[]]);
      const back = "Temporal is back: drains are rung for again";
      expect(lines).toEqual([expect.stringContaining("Temporal is away"), back]);

      await server.stop();
      doorbell.ring("forms");
      await until(async () => doorbell.state() === "away");
      await temporalOn(ports);
      await until(async () => doorbell.state() === "reachable");
      const again = await clientOf(ports);
      expect((await toldTo(again, "inbox-forms")).rings).toEqual([[]]);
    },
    timeoutMs,
  );

  it(
    "gives up what nobody has heard when it is closed, at once",
    async () => {
      const ports = await temporalPorts();
      const { doorbell } = doorbellTo(ports);
      doorbell.ring("forms");
      doorbell.ring("tickets");
      await until(async () => doorbell.state() === "away");
      await doorbell.close();
      await temporalOn(ports);
      const client = await clientOf(ports);
      for (const id of ["inbox-forms", "inbox-tickets"]) {
        await expect(client.workflow.getHandle(id).describe()).rejects.toThrow(
          WorkflowNotFoundError,
        );
      }
    },
    timeoutMs,
  );
});
