import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

import { request } from "undici";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";

import { canaries } from "../../support/canaries.ts";
import { keptPorts } from "../../support/process/kept-ports.ts";
import { end, until } from "../../support/process/process.ts";
import { Project } from "../../support/project/project.ts";
import { refusing } from "../../support/raw-server.ts";
import { Receiver } from "../../support/webhooks/receiver.ts";
import {
  arrived,
  eventIds,
  formsConfig,
  postSubmission,
  ReceiverProcess,
  takenInAll,
} from "../../support/webhooks/webhooks.ts";

const timeoutMs = 180_000;

const readiness = z.object({ store: z.string(), temporal: z.string() });
const statusJson = z.object({ inboxes: z.array(z.looseObject({ waiting: z.int() })) });

async function start(): Promise<Project> {
  return await Project.start(onTestFinished, { "sluice.yaml": formsConfig() });
}

/** The address of a server once it is let in; it holds its port from the start, or another program might take it. */
type Relay = { readonly address: string; readonly letIn: () => void };

async function relayTo(address: string): Promise<Relay> {
  const [host = "", onward] = address.split(":");
  const sockets = new Set<Socket>();
  let isOpen = false;
  const server = createServer((socket) => {
    if (!isOpen) {
      socket.destroy();
      return;
    }
    const upstream = connect({ host, port: Number(onward) });
    sockets.add(socket);
    socket.pipe(upstream).pipe(socket);
    for (const side of [socket, upstream]) side.on("error", () => side.destroy());
    socket.on("close", () => upstream.destroy());
    upstream.on("close", () => socket.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = z.object({ port: z.number() }).parse(server.address());
  return { address: `127.0.0.1:${port}`, letIn: () => void (isOpen = true) };
}

describe("sluice webhooks", () => {
  it(
    "keeps what comes while Temporal and the worker are away, and has it sent when they come",
    async () => {
      const project = await start();
      const relay = await relayTo(project.env["TEMPORAL_ADDRESS"] ?? "");
      const env = { TEMPORAL_ADDRESS: relay.address };
      const receiver = await ReceiverProcess.start(project, onTestFinished, { env });
      for (const n of [1, 2, 3]) expect(await postSubmission(receiver.address, n)).toBe(202);
      const ready = await until(async () => {
        const { statusCode, body } = await request(`${receiver.address}/readyz`);
        const told = readiness.parse(await body.json());
        return told.temporal === "away" && { statusCode, ...told };
      });
      expect(ready).toEqual({ statusCode: 200, store: "ok", temporal: "away" });
      const status = await project.sluice("status", "--json");
      expect(statusJson.parse(JSON.parse(status.stdout)).inboxes).toMatchObject([
        { connection: "forms", path: "/hooks/forms", waiting: 3, problem: null },
      ]);

      relay.letIn();
      await project.worker();
      await arrived(project, 3);
      expect(await takenInAll(project)).toBe(3);
    },
    timeoutMs,
  );

  it(
    "loses nothing that it answered when it is killed under posting, and has it sent once",
    async () => {
      const project = await start();
      await project.worker();
      const [port = 0] = await keptPorts(1);
      let receiver = await ReceiverProcess.start(project, onTestFinished, { port });
      const acknowledged = new Set<string>();
      let next = 0;
      const stop = new AbortController();
      const poster = async (): Promise<void> => {
        for (let n = next++; !stop.signal.aborted; n = next++) {
          // A sender that gets no answer sends again, under the same id.
          await until(async () => {
            const status = await postSubmission(receiver.address, n).catch(() => undefined);
            return status === 202 || status === 200;
          });
          acknowledged.add(`event-${n}`);
        }
      };
      const posting = Array.from({ length: 16 }, poster);
      for (let kills = 0; kills < 3; kills++) {
        const before = acknowledged.size;
        await until(async () => await Promise.resolve(acknowledged.size > before + 300));
        await end(receiver.child, "SIGKILL");
        receiver = await ReceiverProcess.start(project, onTestFinished, { port });
      }
      stop.abort();
      await Promise.all(posting);
      expect(acknowledged.size).toBeGreaterThan(900);
      await arrived(project, acknowledged.size);
      expect(await takenInAll(project)).toBe(acknowledged.size);
      expect(await eventIds(project)).toEqual(acknowledged);
    },
    timeoutMs,
  );

  it(
    "says what is wrong: at its start, and to who sends a test delivery",
    async () => {
      const project = await start();
      const { address } = await ReceiverProcess.start(project, onTestFinished);
      const taken = await project.sluice("webhooks", "--port", new URL(address).port);
      expect(taken.code).toBe(2);
      expect(taken.stderr).toContain("the receiver cannot listen at 127.0.0.1:");
      expect(taken.stderr).toContain("choose another --port");

      const send = ["webhooks", "send", "-"];
      const url = ["--url", `${address}/hooks/forms`];
      const empty = await project.sluice(...send, ...url, "--json");
      expect(empty.code).toBe(1);
      expect(JSON.parse(empty.stdout)).toMatchObject({ status: 400, code: "not_json", kept: null });
      const forged = formsConfig().replace(canaries.webhookSecret, "the-secret-of-somebody-else");
      await project.write("forger.yaml", forged);
      const refused = await project.sluice(...send, ...url, "--config", "forger.yaml");
      expect(refused.code).toBe(1);
      expect(refused.stdout).toMatch(
        /^401 unauthorized: .* → does the receiver have the same secret/,
      );
      expect((await project.sluice(...send, ...url, "--id", "a.b")).code).toBe(2);

      const stranger = await Receiver.start();
      const elsewhere = `${new URL(stranger.url).origin}/hooks/forms`;
      const kept = await project.sluice(...send, "--url", elsewhere);
      expect(stranger.received).toHaveLength(1);
      expect(kept.code).toBe(1);
      expect(kept.stdout).toMatch(/^204: this is not an answer of a receiver of sluice/);

      const { host } = await refusing();
      const nobody = await project.sluice(...send, "--url", `http://${host}/hooks/forms`);
      expect(nobody).toMatchObject({ code: 4, stdout: "" });
      expect(nobody.stderr).toContain("no answer (ECONNREFUSED)");

      await project.write(
        "sluice.yaml",
        "version: 1\napi: { api_key: k }\nconnections: {}\nsyncs: {}\n",
      );
      const none = await project.sluice("webhooks");
      expect(none.code).toBe(2);
      expect(none.stderr).toMatch(/no connection of .* is pushed to/);
    },
    timeoutMs,
  );
});
