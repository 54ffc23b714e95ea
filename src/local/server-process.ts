import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import { messageOf, type SluiceError } from "../errors.ts";
import { makePrivateFolder } from "../security/private-file.ts";
import { endProcess, identify } from "./process-identity.ts";

/** How to start a server of our own. */
export type ServerCommand = {
  /** Its name in messages: "Temporal". */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Its whole environment: nothing of ours is inherited. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Takes its output; earlier content is replaced. */
  readonly logFile: string;
  /** Whether it is up; asked every 100 ms until it is. */
  answers(): Promise<boolean>;
  /** Receives its process number at once, before it is up, so that a list of processes to stop can include it. */
  readonly spawned?: ((pid: number) => void) | undefined;
  /** The class of the error when it does not come up. */
  readonly Failure: new (message: string, facts: { readonly hint: string }) => SluiceError;
};

/** A server that is up. */
export type ServerProcess = {
  readonly pid: number;
  /** Ends it by SIGTERM and returns once it is gone. */
  stop(): Promise<void>;
};

const startMsMax = 30_000;
const askEveryMs = 100;
const logLinesShown = 10;

/**
 * Starts a server in a process group of its own, so that Ctrl-C in the terminal does not reach it, and returns once it
 * answers. It outlives this process unless somebody stops it.
 * @throws {SluiceError} of the class `Failure`, with the last lines of its log, when it ends or does not
 * answer in 30 s.
 */
export async function startServer(server: ServerCommand): Promise<ServerProcess> {
  makePrivateFolder(dirname(server.logFile));
  const log = openSync(server.logFile, "w", 0o600);
  // Its files, such as histories and uploads, are private to this user, as ours are.
  const umask = process.umask(0o077);
  const child = spawn(server.command, [...server.args], {
    detached: true,
    env: server.env,
    stdio: ["ignore", log, log],
  });
  process.umask(umask);
  closeSync(log);
  const ended = once(child, "exit").then(
    ([code, signal]) => `ended with ${signal === null ? `code ${String(code)}` : String(signal)}`,
    (error: unknown) => `cannot be started: ${messageOf(error)}`,
  );
  const { pid } = child;
  if (pid === undefined) throw failure(server, await ended);
  child.unref();
  server.spawned?.(pid);
  const identity = identify(pid);
  const problem = await Promise.race([ended, problemOfWaiting(server, child)]);
  if (problem !== undefined || identity === undefined) {
    if (identity !== undefined) await endProcess(identity);
    throw failure(server, problem ?? (await ended));
  }
  return { pid, stop: async () => await endProcess(identity) };
}

/** Waits until the server answers; returns the problem if it does not in time. */
async function problemOfWaiting(
  server: ServerCommand,
  child: { readonly exitCode: number | null; readonly signalCode: string | null },
): Promise<string | undefined> {
  const giveUpAt = Date.now() + startMsMax;
  while (child.exitCode === null && child.signalCode === null) {
    // An answer counts only while our process lives: another server may hold the port that ours could not take.
    if ((await server.answers()) && child.exitCode === null && child.signalCode === null) {
      return undefined;
    }
    if (Date.now() > giveUpAt) return `does not answer after ${startMsMax / 1000} s`;
    await delay(askEveryMs);
  }
  return "ended before it answered";
}

function failure(server: ServerCommand, problem: string): SluiceError {
  const lines = readFileSync(server.logFile, "utf8").trimEnd().split("\n").slice(-logLinesShown);
  return new server.Failure([`${server.name} ${problem}.`, ...lines].join("\n").trimEnd(), {
    hint: `Read ${server.logFile}.`,
  });
}
