import type { MessagePort } from "node:worker_threads";

import { runEffect, type Effect } from "../effect.ts";
import { StateUnavailableError } from "../errors.ts";
import { unpackError, type PackedError } from "../thread.ts";
import type { BackfillStore } from "./backfills.ts";
import type { CheckpointStore } from "./checkpoints.ts";
import type { DoubtStore } from "./doubt-store.ts";
import type { FingerprintStore } from "./fingerprints.ts";
import type { HostStore } from "./hosts.ts";
import type { IdentityStore } from "./identities.ts";
import type { KnownRecordStore } from "./known-records.ts";
import type { RestoreStore } from "./last-send.ts";
import type { LockStore } from "./locks.ts";
import type { MappingStore } from "./mappings.ts";
import type { OpenRejectStore } from "./open-rejects.ts";
import type { RefusalStore } from "./refusals.ts";
import type { RejectStore } from "./rejects.ts";
import type { ReplayStore } from "./replays.ts";
import type { SplitStore } from "./split.ts";
import type { StateClient, StateMethods } from "./state-store.ts";
import type { UnderWayStore } from "./under-way.ts";

/** A call as it crosses to the store's thread. */
export type StateRequest = {
  readonly id: number;
  readonly method: keyof StateMethods;
  readonly input: unknown;
};

/** Its answer; `result` is what the method returned. */
export type StateReply = {
  readonly id: number;
  readonly result: unknown;
  readonly error: PackedError | undefined;
};

type Waiting = {
  readonly resolve: (result: never) => void;
  readonly reject: (error: Error) => void;
};

function closedError(): StateUnavailableError {
  return new StateUnavailableError("the state store was closed");
}

/** Makes calls over a port; the port keeps its thread alive only while a call is under way. */
function createCalls(
  port: MessagePort,
): <Name extends keyof StateMethods>(
  method: Name,
) => (input: Parameters<StateMethods[Name]>[0]) => Promise<ReturnType<StateMethods[Name]>> {
  const waiting = new Map<number, Waiting>();
  let lastId = 0;
  let isClosed = false;
  port.on("message", ({ id, result, error }: StateReply & { readonly result: never }) => {
    const call = waiting.get(id);
    waiting.delete(id);
    if (waiting.size === 0) port.unref();
    if (error === undefined) call?.resolve(result);
    else call?.reject(unpackError(error));
  });
  port.on("close", () => {
    isClosed = true;
    for (const { reject } of waiting.values()) reject(closedError());
    waiting.clear();
  });
  port.unref();
  return (method) => async (input) =>
    await new Promise((resolve, reject) => {
      if (isClosed) {
        reject(closedError());
        return;
      }
      lastId += 1;
      waiting.set(lastId, { resolve, reject });
      port.ref();
      port.postMessage({ id: lastId, method, input } satisfies StateRequest);
    });
}

/** Methods that only read; whatever is not named here is an effect. */
const reads: ReadonlySet<keyof StateMethods> = new Set([
  "beats",
  "checkpoint",
  "checkpointAudit",
  "committedSend",
  "doubtFacts",
  "doubtfulSyncs",
  "doubtfulRecords",
  "faultTimes",
  "givenUp",
  "hasRepeats",
  "hasSent",
  "identities",
  "isLockWanted",
  "isRestored",
  "keptStages",
  "knownRecords",
  "laneSpans",
  "lastFileAt",
  "lockHolder",
  "lostKeys",
  "olderMapping",
  "openRejects",
  "openSenders",
  "openSends",
  "plan",
  "positions",
  "pullPlace",
  "pullTally",
  "rangesToSend",
  "rateLimits",
  "receipt",
  "receipts",
  "refusals",
  "rejectReasons",
  "rejects",
  "replayCounts",
  "replayPage",
  "run",
  "runs",
  "runsWithOpenRejects",
  "send",
  "strayKeys",
  "tally",
  "totalsBefore",
]);

/** The methods for single rows and records. */
function recordCalls(
  call: ReturnType<typeof createCalls>,
): Pick<
  StateClient,
  keyof (SplitStore &
    RefusalStore &
    RejectStore &
    OpenRejectStore &
    ReplayStore &
    FingerprintStore &
    KnownRecordStore &
    MappingStore &
    UnderWayStore)
> {
  return {
    splitPart: call("splitPart"),
    cutChunk: call("cutChunk"),
    refusals: call("refusals"),
    forgetRefusals: call("forgetRefusals"),
    addRejects: call("addRejects"),
    rejects: call("rejects"),
    rejectReasons: call("rejectReasons"),
    replayCounts: call("replayCounts"),
    runsWithOpenRejects: call("runsWithOpenRejects"),
    openRejects: call("openRejects"),
    listReplay: call("listReplay"),
    replayPage: call("replayPage"),
    supersedeRejects: call("supersedeRejects"),
    stageKeys: call("stageKeys"),
    forgetFingerprints: call("forgetFingerprints"),
    forgetSeenBefore: call("forgetSeenBefore"),
    hasRepeats: call("hasRepeats"),
    fieldSlots: call("fieldSlots"),
    knownRecords: call("knownRecords"),
    noteStage: call("noteStage"),
    openSends: call("openSends"),
    givenUp: call("givenUp"),
    olderMapping: call("olderMapping"),
    forgetOlderMappings: call("forgetOlderMappings"),
  };
}

/** The methods for checkpoints. */
function checkpointCalls(
  call: ReturnType<typeof createCalls>,
): Pick<StateClient, keyof CheckpointStore> {
  return {
    checkpoint: call("checkpoint"),
    positions: call("positions"),
    setCheckpoint: call("setCheckpoint"),
    checkpointAudit: call("checkpointAudit"),
  };
}

/** The methods for what may still land. */
function doubtCalls(
  call: ReturnType<typeof createCalls>,
): Pick<StateClient, keyof DoubtStore | "endRequest"> {
  return {
    endRequest: call("endRequest"),
    doubtfulRecords: call("doubtfulRecords"),
    loseLines: call("loseLines"),
    openSenders: call("openSenders"),
    endSender: call("endSender"),
    settleDoubts: call("settleDoubts"),
    doubtFacts: call("doubtFacts"),
    lostKeys: call("lostKeys"),
    doubtfulSyncs: call("doubtfulSyncs"),
    forgetDoubts: call("forgetDoubts"),
    strayKeys: call("strayKeys"),
    keptStages: call("keptStages"),
  };
}

/** The methods for the workers that live, the accounts and sources that are known, and a store that was restored. */
function presenceCalls(
  call: ReturnType<typeof createCalls>,
): Pick<StateClient, keyof (HostStore & IdentityStore & RestoreStore)> {
  return {
    beat: call("beat"),
    stopBeating: call("stopBeating"),
    beats: call("beats"),
    identities: call("identities"),
    setIdentity: call("setIdentity"),
    hasSent: call("hasSent"),
    forgetIdentities: call("forgetIdentities"),
    isRestored: call("isRestored"),
    tellRestored: call("tellRestored"),
  };
}

/** The methods for locks and for the plans of those who yield them. */
function lockCalls(
  call: ReturnType<typeof createCalls>,
): Pick<StateClient, keyof (BackfillStore & LockStore)> {
  return {
    takeLock: call("takeLock"),
    releaseLock: call("releaseLock"),
    lockHolder: call("lockHolder"),
    wantLock: call("wantLock"),
    isLockWanted: call("isLockWanted"),
    putPlan: call("putPlan"),
    plan: call("plan"),
    laneSpans: call("laneSpans"),
  };
}

/** The store's methods over a port that `openPort` made; `effect` goes around those that write. */
export function stateOnPort(port: MessagePort, effect: Effect = runEffect): StateClient {
  const ask = createCalls(port);
  const call: typeof ask = (method) => {
    const asked = ask(method);
    if (reads.has(method)) return asked;
    return async (input) => await effect(method, async () => await asked(input));
  };
  return {
    openRun: call("openRun"),
    placeRun: call("placeRun"),
    setMode: call("setMode"),
    addRunFacts: call("addRunFacts"),
    addWarnings: call("addWarnings"),
    endRun: call("endRun"),
    run: call("run"),
    runs: call("runs"),
    pruneRuns: call("pruneRuns"),
    tally: call("tally"),
    ...checkpointCalls(call),
    drawStage: call("drawStage"),
    finishStage: call("finishStage"),
    send: call("send"),
    committedSend: call("committedSend"),
    totalsBefore: call("totalsBefore"),
    dropSends: call("dropSends"),
    commitChunk: call("commitChunk"),
    beginPart: call("beginPart"),
    movePart: call("movePart"),
    claimKey: call("claimKey"),
    receipt: call("receipt"),
    receipts: call("receipts"),
    rangesToSend: call("rangesToSend"),
    noteDoubts: call("noteDoubts"),
    lastFileAt: call("lastFileAt"),
    countFault: call("countFault"),
    faultTimes: call("faultTimes"),
    clearFault: call("clearFault"),
    ...doubtCalls(call),
    ...recordCalls(call),
    ...lockCalls(call),
    ...presenceCalls(call),
    acquirePermit: call("acquirePermit"),
    noteLimit: call("noteLimit"),
    rateLimits: call("rateLimits"),
    beginPull: call("beginPull"),
    pullPlace: call("pullPlace"),
    beginListing: call("beginListing"),
    addDomains: call("addDomains"),
    beginCall: call("beginCall"),
    forgetCall: call("forgetCall"),
    keepPage: call("keepPage"),
    setWalk: call("setWalk"),
    commitPage: call("commitPage"),
    pullTally: call("pullTally"),
  };
}
