import { once } from "node:events";
import { connect } from "node:net";
import { join } from "node:path";

import { z } from "zod";

import { ApiUnavailableError } from "../../../src/errors.ts";
import { startServer } from "../../../src/local/server-process.ts";
import { acquireService, type ServiceRequest } from "../../../src/local/shared-service.ts";
import { keptPorts } from "../../support/process/kept-ports.ts";

/** The output of a user of the service once it has it. */
export const userReportSchema = z.object({
  pid: z.int(),
  addresses: z.record(z.string(), z.string()),
  startedHere: z.boolean(),
});

/** A service that takes a tenth of a second to start: a Node process that listens, and nothing else. */
export function requestFor(folder: string): ServiceRequest {
  return {
    folder,
    name: "sandbox",
    start: async (spawned) => {
      const [port = 0] = await keptPorts(1);
      const code = `require("node:net").createServer().listen(${port}, "127.0.0.1")`;
      const server = await startServer({
        name: "The small service",
        command: process.execPath,
        args: ["--eval", code],
        env: {},
        logFile: join(folder, "small-service.log"),
        answers: async () => await answers(port),
        spawned,
        Failure: ApiUnavailableError,
      });
      return { pid: server.pid, addresses: { tcp: `127.0.0.1:${port}` } };
    },
    isAlive: async ({ addresses }) => await answers(Number(addresses["tcp"]?.split(":")[1])),
  };
}

async function answers(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** As a program: uses the service of the given folder until its stdin ends. */
if (import.meta.main) {
  const use = await acquireService(requestFor(process.argv[2] ?? ""));
  const report = userReportSchema.parse({ ...use.info, startedHere: use.startedHere });
  process.stdout.write(`${JSON.stringify(report)}\n`);
  await once(process.stdin.resume(), "end");
  await use.release();
}
