import type { LedgerEntry } from "../../src/sandbox/ledger.ts";
import type { InjectedFault } from "./fault-injector.ts";
import type { FaultOrder } from "./world/http-faults.ts";
import type { Exit } from "./world/program.ts";

/** How long after SIGTERM a process has ended: activities have 30 s, are cancelled then, and take a moment to end. */
const stopMsMax = 35_000;
const minuteMs = 60_000;

/** The value of `retry-after` in the faults that give a time. */
const retryAfterMs = 1_000;

/** How long after a 429 a request that was under way may still be made: the answer must first reach the caller. */
const underWayMs = 250;

/** Records whose request the sandbox did not answer properly: they may have been taken without the client knowing. */
export function ambiguousRecords(ledger: readonly LedgerEntry[], largestPart: number): number[] {
  const applying = ["upload-json", "confirm-upload"];
  return ledger
    .filter(({ step, fault }) => fault !== null && applying.includes(step))
    .map(({ records }) => records ?? largestPart);
}

/** Until when (Unix ms) an answer asks the client to send nothing; undefined if it does not. */
function silentUntil(
  { t, step, status, fault }: LedgerEntry,
  orders: readonly FaultOrder[],
): number | undefined {
  const from = Date.parse(t);
  if (fault === "too-many-requests") return Math.ceil(from / minuteMs) * minuteMs;
  if (fault !== "answer" || step === "put") return undefined;
  const order = orders.find((each) => each.step === step && each["status"] === status);
  return order?.["headers"] === undefined ? undefined : from + retryAfterMs;
}

/**
 * L8 for every API answer that gives a time to wait, except one whose reader was killed by it: no request is made there
 * before the time is over, except requests that were under way.
 */
export function blocksKept(
  ledger: readonly LedgerEntry[],
  by: { readonly faults: readonly FaultOrder[]; readonly injected: readonly InjectedFault[] },
): string[] {
  const unread = new Set(by.injected.map(({ entry }) => `${entry.t} ${entry.step}`));
  return ledger.flatMap((closing) => {
    const until = silentUntil(closing, by.faults);
    if (until === undefined || unread.has(`${closing.t} ${closing.step}`)) return [];
    const from = Date.parse(closing.t) + underWayMs;
    const loud = ledger.filter(({ t, step, fault }) => {
      const at = Date.parse(t);
      return step !== "put" && fault === null && at > from && at < until;
    });
    return loud.map(({ step, t }) => `L8: ${step} at ${t}, told at ${closing.t} to wait`);
  });
}

/** A process ends only because we end it: by SIGTERM in time and with 0, by SIGKILL without having ended before. */
export function exitsAreRight(exits: readonly Exit[]): string[] {
  return exits.flatMap(({ name, code, signal, sent, afterMs }) => {
    if (sent === "SIGKILL") return signal === "SIGKILL" ? [] : [`${name} ended before its kill`];
    const how = `${name} ended with ${code ?? signal}`;
    const isServer = /^(?:worker-\d+|sandbox)$/.test(name);
    if (code !== 0 || (sent === undefined && isServer))
      return [`${how}${sent === undefined ? " by itself" : ` after ${sent}`}`];
    return afterMs > stopMsMax ? [`${how}, ${Math.round(afterMs)} ms after ${sent}`] : [];
  });
}
