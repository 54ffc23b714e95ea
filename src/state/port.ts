import type { MessagePort } from "node:worker_threads";

import { runEffect, type Effect } from "../effect.ts";
import { StateUnavailableError } from "../errors.ts";
import { createCalls } from "../thread.ts";
import type { KeysToStage } from "./contract/keys/fingerprints.ts";
import type { StateClient, StateMethods } from "./state-store.ts";

/** Every method, and whether it only reads. */
const methods = {
  openRun: "write",
  setRunRange: "write",
  setMode: "write",
  setHold: "write",
  addRunFacts: "write",
  addWarnings: "write",
  endRun: "write",
  run: "read",
  runs: "read",
  pruneRuns: "write",
  tally: "read",
  runFigures: "read",
  chunkTimes: "read",
  rejectsWhere: "read",
  lastSuccesses: "read",
  checkpointTimes: "read",
  checkpoint: "read",
  positions: "read",
  setCheckpoint: "write",
  checkpointAudit: "read",
  beginStaging: "write",
  finishStage: "write",
  staging: "read",
  committedStaging: "read",
  stagingNumbered: "read",
  newestStaging: "read",
  firstSend: "read",
  stagedDigest: "read",
  totalsBefore: "read",
  dropStagings: "write",
  commitChunk: "write",
  prepareCommit: "write",
  beginPart: "write",
  movePart: "write",
  claimKey: "write",
  receipt: "read",
  receipts: "read",
  rangesToSend: "read",
  noteDoubts: "write",
  lastFileAt: "read",
  countFault: "write",
  faultTimes: "read",
  clearFault: "write",
  endRequest: "write",
  doubtfulRecords: "read",
  loseLines: "write",
  openSenders: "read",
  endSender: "write",
  settleDoubts: "write",
  doubtFacts: "read",
  lostKeys: "read",
  doubtfulSyncs: "read",
  forgetDoubts: "write",
  strayKeys: "read",
  keptStages: "read",
  splitPart: "write",
  cutChunk: "write",
  refusals: "read",
  forgetRefusals: "write",
  addRejects: "write",
  rejects: "read",
  rejectedKeys: "read",
  rejectReasons: "read",
  rejectsOfKey: "read",
  replayCounts: "read",
  runsWithOpenRejects: "read",
  openRejectCounts: "read",
  listReplay: "write",
  replayPage: "read",
  supersedeRejects: "write",
  stageKeys: "write",
  judgeKeys: "read",
  keepFields: "write",
  forgetFingerprints: "write",
  forgetSeenBefore: "write",
  hasRepeats: "read",
  fieldSlots: "write",
  knownRecords: "read",
  noteStage: "write",
  openStagings: "read",
  givenUp: "read",
  keptMappings: "read",
  keepMapping: "write",
  beginAdoption: "write",
  adoptRecords: "write",
  undoAdoption: "write",
  adoptions: "read",
  countVanished: "write",
  keepReading: "write",
  goneSince: "read",
  olderMapping: "read",
  forgetOlderMappings: "write",
  takeLock: "write",
  releaseLock: "write",
  lockHolder: "read",
  wantLock: "write",
  isLockWanted: "read",
  putPlan: "write",
  plan: "read",
  laneSpans: "read",
  beat: "write",
  stopBeating: "write",
  beats: "read",
  chooseHost: "write",
  usedTemporal: "read",
  bindTemporal: "write",
  storeTime: "read",
  identities: "read",
  setIdentity: "write",
  hasSent: "read",
  forgetIdentities: "write",
  isRestored: "read",
  tellRestored: "write",
  acquirePermit: "write",
  noteLimit: "write",
  rateLimits: "read",
  beginPull: "write",
  pullPlace: "read",
  beginListing: "write",
  addDomains: "write",
  beginCall: "write",
  forgetCall: "write",
  keepPage: "write",
  isPageKept: "read",
  setPass: "write",
  commitPage: "write",
  pullTally: "read",
  forgetKeys: "write",
  eraseKey: "write",
  targets: "read",
  shred: "write",
} as const satisfies Record<keyof StateMethods, "read" | "write">;

/** The memory of an input that is transferred: the caller no longer needs it, and its size grows with the rows. */
function memoryOf({ keys, hashes, rowNumbers }: KeysToStage): readonly ArrayBuffer[] {
  const parts = [keys.bytes, keys.ends, hashes, rowNumbers];
  return parts.flatMap(({ buffer }) => (buffer instanceof ArrayBuffer ? [buffer] : []));
}

/** The store's methods over a port that `openPort` made; `effect` wraps those that write. */
export function stateOnPort(port: MessagePort, effect?: Effect): StateClient;
export function stateOnPort(port: MessagePort, effect: Effect = runEffect): object {
  // An overload: a loop cannot show the compiler that each name has its own method.
  const call = createCalls(port, () => new StateUnavailableError("the state store was closed"));
  const client = Object.entries(methods).map(([method, kind]) => {
    const ask = async (...input: unknown[]): Promise<unknown> => await call({ method, input });
    const write: typeof ask = async (...input) =>
      await effect(method, async () => await ask(...input));
    return [method, kind === "read" ? ask : write] as const;
  });
  const stageKeys = async (input: KeysToStage): Promise<unknown> =>
    await effect("stageKeys", async () => {
      return await call({ method: "stageKeys", input: [input] }, memoryOf(input));
    });
  return { ...Object.fromEntries(client), stageKeys };
}
