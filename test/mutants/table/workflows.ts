import type { Edit, Mutant } from "../mutant.ts";

/** A mutant of one workflow file, and the test of workflows with fake activities that must notice it. */
type Planted = Omit<Edit, "file"> & {
  readonly id: string;
  readonly plants: string;
  /** The workflow file, without ending. */
  readonly of: string;
  /** The test file, without ending, and a part of its title. */
  readonly seenBy: readonly [string, string];
};

const planted: readonly Planted[] = [
  {
    id: "S233",
    plants: "a third chunk is staged while two are on their way",
    of: "sync/transfer",
    find: "      await before;\n      const isOver",
    replace: "      const isOver",
    seenBy: ["sync/transfer", "stages a chunk while the one before is sent, and never a third"],
  },
  {
    id: "S234",
    plants: "a body goes to the service before the chunk before it is committed",
    of: "sync/send-chunk",
    find: "  await sending.turn;\n  const summary",
    replace: "  const summary",
    seenBy: ["sync/transfer", "take a chunk's bodies when the chunk before is committed"],
  },
  {
    id: "S235",
    plants: "a file is confirmed before the chunk before it is committed",
    of: "sync/send-chunk",
    find: "    await sending.turn;\n    try {",
    replace: "    try {",
    seenBy: ["sync/transfer", "take a chunk's files when the chunk before is committed"],
  },
  {
    id: "S236",
    plants: "a chunk is given up for the fault of the next one",
    of: "sync/transfer",
    find: "      await before.catch(() => undefined);\n",
    replace: "",
    seenBy: ["sync/transfer", "commits the chunk before one that fails, and stages none after it"],
  },
  {
    id: "S237",
    plants: "what a split makes of a part goes after the parts that follow it",
    of: "sync/send-chunk",
    find: "parts.unshift(...split.parts);",
    replace: "parts.push(...split.parts);",
    seenBy: ["sync/transfer", "is split, and its parts go before the next"],
  },
  {
    id: "S2060",
    plants: "a call that ends takes back what another one waits for",
    of: "failures",
    find: "    this.#texts.delete(call);",
    replace: "    this.#texts.clear();",
    seenBy: ["failures", "is told until it is over, whatever is done meanwhile"],
  },
  {
    id: "S238",
    plants: "a file that the service lost ends the run",
    of: "sync/send-chunk",
    find: '"UploadGone" || uploads >= uploadsPerPartMax',
    replace: '"UploadGone" || uploads > 0',
    seenBy: ["sync/transfer", "uploads a file again that the service lost"],
  },
  {
    id: "S239",
    plants: "rows that are staged again count twice",
    of: "sync/transfer",
    find: "      this.#transfer.onRestage(this.#inFlight.map(({ staged }) => staged));\n",
    replace: "",
    seenBy: ["sync/transfer", "is staged again with the chunks after it, which count once"],
  },
  {
    id: "S240",
    plants: "a run that continues as new chooses its mode again",
    of: "sync/run-batch",
    find: "continued: { run_id, chunk, mode, opened, counts, weighed }",
    replace: "continued: { run_id, chunk, opened, counts }",
    seenBy: [
      "sync/sync",
      "continues in another execution as the same run, with its mode and counts",
    ],
  },
  {
    id: "S241",
    plants: "a cancel cuts a commit off",
    of: "sync/send-chunk",
    find: `CancellationScope.nonCancellable(
    async () => await activities.commitChunk(stageRef(sending)),
  )`,
    replace: "activities.commitChunk(stageRef(sending))",
    seenBy: ["sync/sync", "commits although the cancel comes while it does"],
  },
  {
    id: "S242",
    plants: "a run that was cancelled while its worker was gone has failed",
    of: "ending",
    find: "if (cause instanceof TimeoutFailure) return true;",
    replace: "if (cause instanceof TimeoutFailure) return isCancellation(error);",
    seenBy: [
      "sync/sync",
      "is cancelled, and has not failed, when the worker of an attempt is gone",
    ],
  },
  {
    id: "S243",
    plants: "a host that is busy is taken for one that is gone",
    of: "failures",
    find: "isHostAway(error) && !(await isHostGone())",
    replace: "isHostAway(error) && (await isHostGone()) === undefined",
    seenBy: ["failures", "is waited for while it lives, which the run says"],
  },
  {
    id: "S244",
    plants: "a lane that fails keeps counting what it staged in vain",
    of: "backfill/backfill-lanes",
    find: "    reporting.giveUp();\n",
    replace: "",
    seenBy: [
      "backfill/backfill-lanes",
      "take back what was staged and not committed when they fail",
    ],
  },
  {
    id: "S245",
    plants: "a lane fails for good when the credits are used up",
    of: "backfill/backfill-lanes",
    find: 'if (outcome === "credits_exhausted") {',
    replace: 'if (outcome === "busy") {',
    seenBy: [
      "backfill/backfill-lanes",
      "waits for a person when the credits are used up: confirmUpload 1.0",
    ],
  },
  {
    id: "S246",
    plants: "a backfill keeps its lock while it is paused",
    of: "backfill/backfill",
    find: "      await yieldBackfill(runRef(opened));\n",
    replace: "",
    seenBy: ["backfill/backfill-lanes", "lets its lock go after the chunk when a person pauses it"],
  },
  {
    id: "S247",
    plants: "the checkpoint follows a backfill of which a lane failed",
    of: "backfill/backfill",
    find: 'opened.advanceCheckpoint && ending.closing.outcome === "done"',
    replace: "opened.advanceCheckpoint",
    seenBy: [
      "backfill/backfill-lanes",
      "fail for good the second time, and the others are sent to their end",
    ],
  },
  {
    id: "S248",
    plants: "a backfill whose source has moved needs no second consent",
    of: "backfill/backfill-view",
    find: '    this.decision = isApproved ? "approve" : undefined;\n',
    replace: '    if (isApproved) this.decision = "approve";\n',
    seenBy: ["backfill/backfill", "plans again and asks again when its source has moved"],
  },
  {
    id: "S249",
    plants: "a drain ends although it was woken while it looked",
    of: "inbox/inbox-drain",
    find: "} else if (linger && !hasWakeUp) {",
    replace: "} else if (linger) {",
    seenBy: ["inbox/inbox-drain", "looks again when it wakes while it looks for the last time"],
  },
  {
    id: "S250",
    plants: "a drain forgets which syncs back off when it continues as new",
    of: "inbox/inbox-drain",
    find: "const backoffs = Object.fromEntries(this.#backoffs);",
    replace: "const backoffs = {};",
    seenBy: ["inbox/inbox-drain", "continues in another execution between runs, with its backoffs"],
  },
  {
    id: "S251",
    plants: "a pull that continues as new shows what it did since alone",
    of: "pull/pull",
    find: "pull: continued?.progress ?? nothing,",
    replace: "pull: nothing,",
    seenBy: [
      "pull/pull",
      "continues in another execution as the same run, and shows all that it did",
    ],
  },
  {
    id: "S252",
    plants: "nobody is told of a receiver that was given up",
    of: "notify",
    find: "    await recordUndelivered({ runId, target, why });\n",
    replace: "",
    seenBy: ["notify", "is given up after its last try, which the run and the workflow say"],
  },
  {
    id: "S253",
    plants: "a resend leaves a run open that it should continue with",
    of: "sync/resend",
    find: 'while (ended.kind === "continue") {',
    replace: 'if (ended.kind === "continue") {',
    seenBy: ["sync/resend", "makes one run of what is due, however many chunks it has"],
  },
  {
    id: "S2208",
    plants: "lanes that a person lets work, or resumes, wait for one that ends",
    of: "backfill/backfill-lanes",
    find: "running.size < size || ready().length > 0",
    replace: "running.size < size",
    seenBy: [
      "backfill/lanes-at-once",
      "begin as soon as a person lets them, while others work on: set_lanes",
    ],
  },
  {
    id: "S2209",
    plants:
      "a cancelled run has failed, and says so to everybody, when its attempt fails before it hears of it",
    of: "ending",
    find: '  return retryState === "CANCEL_REQUESTED" && !isForGood;',
    replace: "  return retryState === undefined && !isForGood;",
    seenBy: ["sync/sync", "is cancelled, and has not failed, when its attempt fails"],
  },
  {
    id: "S2210",
    plants: "a run waits for rate limits until Temporal terminates it, and nobody closes it",
    of: "failures",
    find: "historyLength > (settings.historyEventsMax ?? historyEventsMax)",
    replace: "historyLength > Infinity + (settings.historyEventsMax ?? historyEventsMax)",
    seenBy: ["failures", "fails the run when waits have filled its history"],
  },
  {
    id: "S2211",
    plants: "the workflow of a run that is done ends as cancelled when a cancel comes too late",
    of: "ending",
    find: "  await CancellationScope.nonCancellable(async () => await condition(allHandlersFinished));\n",
    replace: "  await condition(allHandlersFinished);\n",
    seenBy: ["sync/sync", "commits although the cancel comes while it does"],
  },
  {
    id: "S2212",
    plants: "a resend ends although it was woken during its last look",
    of: "sync/resend",
    find: "      if (hasWakeUp) continue;\n",
    replace: "",
    seenBy: ["sync/resend", "looks once more when it is woken while its last look finds nothing"],
  },
  {
    id: "S2048",
    plants: "a receiver that is gone takes the others' tries away",
    of: "verify/verify",
    find: "  await Promise.allSettled(telling);\n",
    replace: "",
    seenBy: ["verify/verify", "tries a receiver again although another is gone"],
  },
  {
    id: "S2049",
    plants: "a drain ends with events that have to wait a second time",
    of: "inbox/inbox-drain",
    find: "while (look.waitMs !== undefined) {",
    replace: "if (look.waitMs !== undefined) {",
    seenBy: [
      "inbox/inbox-drain",
      "waits again where the look after the wait says so, and then sends what is unread",
    ],
  },
];

/** Mutants of the decisions that workflows make between activities. */
export const mutantsOfWorkflows: readonly Mutant[] = planted.map(
  ({ id, plants, of, find, replace, seenBy: [file, title] }) => ({
    id,
    plants,
    edits: [{ file: `workflows/${of}.ts`, find, replace }],
    test: { file: `test/workflows/${file}.test.ts`, title },
  }),
);
