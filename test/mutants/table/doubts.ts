import type { Mutant } from "../mutant.ts";

const renamedTest = "test/activities/renamed-sync.test.ts";
const unnotedTest = "test/activities/doubt/unnoted-end.test.ts";
const strayTest = "test/activities/doubt/stray-keys.test.ts";
const twinTest = "test/activities/doubt/refused-twin.test.ts";
const noteTest = "test/activities/doubt/note-doubts.test.ts";

/** Doubts: which request each key waits for, and how a doubt ends. */
export const mutantsOfDoubts: readonly Mutant[] = [
  {
    id: "S220",
    plants: "a request waits for those of its own sync alone",
    edits: [
      {
        file: "src/state/store/doubts/doubts.ts",
        find: "await concerningRequests(queries, part.setId)",
        replace:
          "(await concerningRequests(queries, part.setId)).filter((each) => each.setId === part.setId)",
      },
    ],
    test: {
      file: renamedTest,
      title:
        "a request of a sync that has another name now is overwritten once more when it is applied late",
    },
  },
  {
    id: "S221",
    plants: "a request of another stream counts as one of the same records",
    edits: [
      {
        file: "src/state/store/doubts/doubts.ts",
        find: "return request.stream === stream;",
        replace: "return request.stream !== stream || request.stream === stream;",
      },
    ],
    test: {
      file: renamedTest,
      title:
        "a request of a sync with another stream overwrites nothing, and puts nothing in doubt",
    },
  },
  {
    id: "S222",
    plants: "a request of which the store could not note the end stays open",
    edits: [
      {
        file: "activities/upload/leaving.ts",
        find: "    unnotedEnds.set(number, now);\n",
        replace: "    if (number < 0) unnotedEnds.set(number, now);\n",
      },
    ],
    test: {
      file: unnotedTest,
      title:
        "a request of which the store could not note the end is over in time, although nobody tries again: endRequest",
    },
  },
  {
    id: "S223",
    plants: "the time in which a request has to leave begins before its doubts are noted",
    edits: [
      {
        file: "activities/upload/upload-json.ts",
        find:
          '      const noted = await state.noteDoubts({ ...name, form: "body", stream, now: ' +
          "deps.clock() });\n      const { request, beforeSend, mayLand } = leavingNow(deps, { " +
          'form: "body", stream });\n',
        replace:
          '      const { request, beforeSend, mayLand } = leavingNow(deps, { form: "body", ' +
          'stream });\n      const noted = await state.noteDoubts({ ...name, form: "body", ' +
          "stream, now: deps.clock() });\n",
      },
    ],
    test: {
      file: noteTest,
      title:
        "a part of very many records in doubt leaves, however long the store takes to note them",
    },
  },
  {
    id: "S224",
    plants: "what was noted before a part leaves is not looked at again when it does",
    edits: [
      {
        file: "src/state/store/sends/leaving-part.ts",
        find: "if (known === undefined || !isNoted)",
        replace: "if (known === undefined && !isNoted)",
      },
    ],
    test: {
      file: noteTest,
      title:
        "a request that may be applied again after a part's doubts were noted is waited for too",
    },
  },
  {
    id: "S225",
    plants: "what the service took of a chunk that was given up counts as not made",
    edits: [
      {
        file: "src/state/store/doubts/settling.ts",
        find: "s.state in ('committed', 'cut')`",
        replace: "s.state in ('committed')`",
      },
    ],
    test: { file: strayTest, title: "no key is called stray that a chunk made which was given up" },
  },
  {
    id: "S2141",
    plants: "a key whose last record was refused is forgotten although an earlier one was taken",
    edits: [
      {
        file: "src/state/store/doubts/doubts.ts",
        find: "if (rows.length === 0) return;",
        replace: "if (rows.length >= 0) return;",
      },
    ],
    test: {
      file: twinTest,
      title: "stays in doubt where the first of two is taken and the second refused",
    },
  },
  {
    id: "S2213",
    plants: "the start of a resend is lost on one that is about to end",
    edits: [
      {
        file: "src/local/resend.ts",
        find: '.signalWithStart<typeof resend>("resend", {',
        replace: '.start("resend", {\n      workflowIdConflictPolicy: "USE_EXISTING",',
      },
    ],
    test: {
      file: "test/src/local/resend.test.ts",
      title: "a resend that runs is woken by another start",
    },
  },
  {
    id: "S2197",
    plants: "pruning removes the run that the next one is compared with",
    edits: [
      {
        file: "src/state/store/runs/prune-runs.ts",
        find: 'ended.where("rowid", "not in", newest)',
        replace: "ended",
      },
    ],
    test: {
      file: "test/activities/run/weigh-run.test.ts",
      title: "is held by fewer rows than there were also after old runs were pruned",
    },
  },
  {
    id: "S2198",
    plants: "pruning forgets keys that a run may have sent before the next run could look for them",
    edits: [
      {
        file: "src/state/store/runs/prune-runs.ts",
        find: '.where("q.isMade", "=", 0)',
        replace: '.where("q.isMade", "<", 0)',
      },
    ],
    test: {
      file: strayTest,
      title: "a key is called stray also when old runs were pruned before the next run",
    },
  },
];
