// The entry file of the thread that thread.ts starts.
import { once } from "node:events";
import { parentPort, workerData } from "node:worker_threads";

import { z } from "zod";

import { type SandboxSettings, startSandbox } from "./http/server.ts";
import type { Listening } from "./thread.ts";

if (parentPort === null) throw new Error("thread-main.ts runs as a worker thread only");

// Both ends are one program, so the type is known; only the compiler needs to have it stated.
const sandbox = await startSandbox(z.custom<SandboxSettings>().parse(workerData));
const told: Listening = { address: sandbox.address };
parentPort.postMessage(told);
await once(parentPort, "message");
await sandbox.close();
parentPort.close();
