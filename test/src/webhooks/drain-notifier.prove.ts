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
import { createDrainNotifier, type DrainNotifier } from "../../../src/webhooks/drain-notifier.ts";
import { keptPorts } from "../../support/process/kept-ports.ts";
import { until } from "../../support/process/process.ts";
import { temporaryFolder } from "../../support/process/temporary-folder.ts";

const timeoutMs = 120_000;
const taskQueue = "sluice";

async function temporalPorts(): Promise<TemporalPorts> {
  const [port = 0, uiPort = 0] = await keptPorts(2);
  return { port, uiPort };
}

/** A server on these ports, which forgets everything when it stops; it is stopped after the test. */
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

/** A notifier for the server on these ports, with its log lines and the number of its connections. */
function notifierTo({ port }: TemporalPorts): {
  readonly notifier: DrainNotifier;
  readonly lines: string[];
  readonly connected: () => number;
} {
  const lines: string[] = [];
  let connected = 0;
  const say = (_: object, text: string): void => void lines.push(text);
  const notifier = createDrainNotifier({
    connect: async () => {
      connected += 1;
      return (await connectTemporal(`127.0.0.1:${port}`)).client;
    },
    taskQueue,
    log: { info: say, warn: say },
    firstMs: 50,
  });
  onTestFinished(async () => await notifier.close());
  return { notifier, lines, connected: () => connected };
}

async function clientOf({ port }: TemporalPorts): Promise<Client> {
  const { client, close } = await connectTemporal(`127.0.0.1:${port}`);
  onTestFinished(close);
  return client;
}

/** What the drain of a connection received: its input, and the input of each wake. */
async function toldTo(
  client: Client,
  workflowId: string,
): Promise<{ readonly started: unknown; readonly wakes: readonly unknown[] }> {
  const { events } = await client.workflow.getHandle(workflowId).fetchHistory();
  const started = events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
  return {
    started: started.map(({ data }): unknown => JSON.parse(Buffer.from(data ?? []).toString())),
    wakes: (events ?? []).flatMap(({ workflowExecutionSignaledEventAttributes: signal }) =>
      signal === null || signal === undefined ? [] : [signal.input?.payloads ?? []],
    ),
  };
}

describe("createDrainNotifier", () => {
  it(
    "starts a drain with the connection's name alone, and has what wakes at once heard in two calls",
    async () => {
      const ports = await temporalPorts();
      await temporalOn(ports);
      const { notifier, connected } = notifierTo(ports);
      expect([notifier.state(), connected()]).toEqual(["unknown", 0]);
      for (let wake = 0; wake < 1_000; wake++) notifier.wake("forms");
      const client = await clientOf(ports);
      await until(async () => {
        const told = await toldTo(client, "inbox-forms").catch(() => undefined);
        return told?.wakes.length === 2;
      });
      notifier.wake("tickets");
      await notifier.close();
      expect([notifier.state(), connected()]).toEqual(["reachable", 1]);
      expect(await toldTo(client, "inbox-forms")).toEqual({
        started: [{ connection: "forms" }],
        wakes: [[], []],
      });
      // Notifications that were under way when it was closed have ended, and later ones are not sent.
      expect((await toldTo(client, "inbox-tickets")).wakes).toEqual([[]]);
      notifier.wake("forms");
      await notifier.close();
      expect((await toldTo(client, "inbox-forms")).wakes).toHaveLength(2);
    },
    timeoutMs,
  );

  it(
    "calls until Temporal is there, and once more on a connection of its own when it was lost",
    async () => {
      const ports = await temporalPorts();
      const { notifier, lines } = notifierTo(ports);
      notifier.wake("forms");
      await until(async () => notifier.state() === "away");
      const server = await temporalOn(ports);
      await until(async () => notifier.state() === "reachable");
      const client = await clientOf(ports);
      expect((await toldTo(client, "inbox-forms")).wakes).toEqual([[]]);
      const back = "Temporal is back: drains are woken for again";
      expect(lines).toEqual([expect.stringContaining("Temporal is away"), back]);

      await server.stop();
      notifier.wake("forms");
      await until(async () => notifier.state() === "away");
      await temporalOn(ports);
      await until(async () => notifier.state() === "reachable");
      const again = await clientOf(ports);
      expect((await toldTo(again, "inbox-forms")).wakes).toEqual([[]]);
    },
    timeoutMs,
  );

  it(
    "gives up what nobody has heard when it is closed, at once",
    async () => {
      const ports = await temporalPorts();
      const { notifier } = notifierTo(ports);
      notifier.wake("forms");
      notifier.wake("tickets");
      await until(async () => notifier.state() === "away");
      await notifier.close();
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
