import { createServer } from "node:net";

import { NativeConnection } from "@temporalio/worker";
import { expect, it, onTestFinished } from "vitest";

import { messageOf } from "../../../src/errors.ts";
import { connectTemporal } from "../../../src/local/connect.ts";
import { whyUnreachable } from "../../../src/local/why-unreachable.ts";
import { keptPorts } from "../../support/process/kept-ports.ts";

it("says in one sentence why a server cannot be reached, to a command and to a worker", async () => {
  const [port = 0] = await keptPorts(1);
  const address = `127.0.0.1:${port}`;
  const refused = `cannot reach Temporal at ${address}: connection refused`;
  await expect(connectTemporal(address)).rejects.toThrow(refused);
  const error: unknown = await NativeConnection.connect({ address }).catch((why: unknown) => why);
  expect(messageOf(error)).toMatch(/transport/i);
  expect(await whyUnreachable(address, error)).toBe("connection refused");
});

it("tells a server that is not one of Temporal's from one that is not there", async () => {
  const server = createServer((socket) => socket.on("error", () => undefined).resume());
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = address !== null && typeof address === "object" ? address.port : 0;
  const why = await whyUnreachable(
    `127.0.0.1:${port}`,
    new Error('tonic::transport::Error(Transport, ConnectError("Broken pipe"))'),
  );
  expect(why).toBe("something listens there, but does not answer as Temporal does (broken pipe)");
});

it("names a host that is not there, and an address that is none", async () => {
  expect(await whyUnreachable("nobody.invalid:7233", new Error())).toMatch(/host/);
  expect(await whyUnreachable("nobody", new Error("late"))).toBe("late (an address is host:port)");
});
