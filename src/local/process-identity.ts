import { spawnSync } from "node:child_process";
import { readFileSync, readlinkSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

import { errorCodeOf } from "../errors.ts";

/** A process that is never mistaken for a later one, although process numbers are reused. */
export type ProcessIdentity = {
  readonly pid: number;
  /** When it started, in the operating system's own words. */
  readonly started: string;
};

/** How long a process may take to end before it is killed; Temporal needs three seconds. */
const endMsMax = 10_000;

const lookAgainMs = 50;

/** The process with a number; undefined if there is none, or only a zombie that nobody has reaped. */
export function identify(pid: number): ProcessIdentity | undefined {
  const [state, started] = process.platform === "linux" ? askProc(pid) : askPs(pid);
  if (state === undefined || started === undefined || /^[ZX]/.test(state)) return undefined;
  return { pid, started };
}

/**
 * A name for this process that no later one has, even after a reboot or in another container: host, namespace of
 * process numbers, number and start.
 */
export function processName(hostId: string): string {
  const { pid } = process;
  return [hostId, processNamespace(), pid, identify(pid)?.started ?? ""].join(" ");
}

/** Whether the process of that name is gone; undefined if it cannot be looked up from here. */
export function isProcessGone(name: string, hostId: string): boolean | undefined {
  const [host = "", namespace = "", pid = "", ...started] = name.split(" ");
  if (host !== hostId || namespace !== processNamespace()) return undefined;
  return !isRunning({ pid: Number(pid), started: started.join(" ") });
}

/** The namespace of process numbers: this boot and this container. */
function processNamespace(): string {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    return `${boot}/${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return "-";
  }
}

/** Whether exactly this process still runs. */
export function isRunning(identity: ProcessIdentity): boolean {
  return identify(identity.pid)?.started === identity.started;
}

/** Ends a process by SIGTERM, to it alone, and returns once it is gone; kills one that outstays `graceMs`. */
export async function endProcess(
  identity: ProcessIdentity,
  graceMs: number = endMsMax,
): Promise<void> {
  const killAt = Date.now() + graceMs;
  for (let signal: NodeJS.Signals | 0 = "SIGTERM"; isRunning(identity); await delay(lookAgainMs)) {
    send(identity.pid, Date.now() < killAt ? signal : "SIGKILL");
    signal = 0;
  }
}

/** The state letter and start of a process from /proc; empty if it does not exist. */
function askProc(pid: number): readonly string[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The second field, the program's name, may itself contain blanks and parentheses; after its last
    // parenthesis the format is fixed.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return [fields[0] ?? "", fields[19] ?? ""];
  } catch {
    return [];
  }
}

/** The same from `ps`, on systems without /proc. */
export function askPs(pid: number): readonly string[] {
  const { stdout } = spawnSync("ps", ["-o", "stat=", "-o", "lstart=", "-p", String(pid)], {
    encoding: "utf8",
    // In one zone: a laptop that travels must not take each process for a later one.
    env: { PATH: "/bin:/usr/bin", LC_ALL: "C", TZ: "UTC" },
  });
  const [state, ...started] = (stdout ?? "").trim().split(/\s+/);
  return state === undefined || started.length === 0 ? [] : [state, started.join(" ")];
}

function send(pid: number, signal: NodeJS.Signals | 0): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // It may end between the check and the signal; the caller must learn of anything else, such as another
    // user's process.
    if (errorCodeOf(error) !== "ESRCH") throw error;
  }
}
