import type { Mutant } from "../mutant.ts";

const againTest = "test/activities/doubt/sent-again.test.ts";
const printsTest = "test/src/state/keys/fingerprints.test.ts";
const mappingTest = "test/activities/run/older-mapping.test.ts";
const refusedTest = "test/activities/doubt/refused-again.test.ts";
const refusedTitle =
  "does not stop a run for a record in doubt that the service refuses by now, and says which it is";

/** Records that are sent once more, cut or abandoned, and what sluice then considers known or new. */
export const mutantsOfSentAgain: readonly Mutant[] = [
  {
    id: "S200",
    plants: "a line that is sent once more grows newer by it",
    edits: [
      {
        file: "src/pipeline/changed.ts",
        find: "if (page.source.isAgain === true) {",
        replace: "if (page.source.isAgain === null) {",
      },
    ],
    test: {
      file: againTest,
      title: "is not a newer by it: a reject that came after it is replayed",
    },
  },
  {
    id: "S201",
    plants: "a backfill takes a line that was sent once more for the row that it reads",
    edits: [
      {
        file: "activities/stage/doubtful-pages.ts",
        find: "isAgain: true,",
        replace: "isAgain: false,",
      },
    ],
    test: {
      file: againTest,
      title: "is sent by the new mapping, too, where a backfill had begun before",
    },
  },
  {
    id: "S202",
    plants: "of a line that is sent once more and a later one of its key the later one is known",
    edits: [
      {
        file: "src/state/rules/keys/judge.ts",
        find: "again?.[index] === true || isOurs",
        replace: "isOurs",
      },
    ],
    test: {
      file: printsTest,
      title: "leaves a key unknown of which an older record was sent once more in front",
    },
  },
  {
    id: "S203",
    plants: "nobody says of which keys lines were sent once more",
    edits: [
      {
        file: "src/pipeline/changed.ts",
        find: "for (const { key } of page.candidates) again.add(key);",
        replace: "",
      },
    ],
    test: {
      file: "test/src/pipeline/changed.test.ts",
      title: "asks nothing of lines that are sent once more, and says which keys they were of",
    },
  },
  {
    id: "S204",
    plants: "what a cut chunk left counts as seen",
    edits: [
      {
        file: "src/state/sqlite/keys/key-keeping.ts",
        find: "      sightings.unsee(send, new Set(all(idsRow, ids, asked).map(({ id }) => id)));\n",
        replace: "",
      },
    ],
    test: {
      file: "test/activities/cut-chunk.test.ts",
      title:
        "leaves a reject open whose row a backfill read again and did not send: its replay does",
    },
  },
  {
    id: "S205",
    plants: "a staging that was given up hides which row was committed before",
    edits: [
      {
        file: "src/state/sqlite/keys/sightings.ts",
        find: "const select = db.prepare(accepted);",
        replace:
          "const select = db.prepare(\n    `${accepted} and send = " +
          "(select max(send) from sightings where set_id = $setId)`,\n  );",
      },
      {
        file: "src/state/sqlite/keys/sightings.ts",
        find: "      ages.blocks.set(block, known);\n",
        replace: "      void [block, known];\n",
      },
    ],
    test: {
      file: printsTest,
      title: "judges a replayed row by what was committed before a staging that was given up",
    },
  },
  {
    id: "S206",
    plants: "a reject that a newer row superseded opens again when a later staging is given up",
    edits: [
      {
        file: "src/state/sqlite/keys/sightings.ts",
        find: "const select = db.prepare(accepted);",
        replace:
          "const select = db.prepare(\n    `${accepted} and send = " +
          "(select max(send) from sightings where set_id = $setId)`,\n  );",
      },
      {
        file: "src/state/sqlite/keys/sightings.ts",
        find: "      ages.blocks.set(block, known);\n",
        replace: "      void [block, known];\n",
      },
    ],
    test: {
      file: "test/src/state/open-rejects.test.ts",
      title: "are not those of rows that came since, although later ones were given up",
    },
  },
  {
    id: "S207",
    plants: "what a cut backfill left unknown is no more of the old mapping",
    edits: [
      {
        file: "src/state/sqlite/keys/mappings.ts",
        find: "f.hash is not null",
        replace: "f.hash is not null and f.send <> 0",
      },
    ],
    test: {
      file: mappingTest,
      title: "counts on after a backfill that was cut before anything of it was taken",
    },
  },
  {
    id: "S208",
    plants: "what a restored store forgot is no more of the old mapping",
    edits: [
      {
        file: "src/state/sqlite/keys/mappings.ts",
        find: "f.hash is not null",
        replace:
          "f.hash is not null and abs(f.send) > (select valid_after from fingerprint_sets where id = f.set_id)",
      },
    ],
    test: {
      file: mappingTest,
      title:
        "counts on after fingerprints were forgotten, as by a restored store: the service holds what it held",
    },
  },
  {
    id: "S209",
    plants: "what the service refused of a cut chunk counts as seen",
    edits: [
      {
        file: "src/state/sqlite/keys/key-keeping.ts",
        find: 'fingerprints f\n  on ${isOfKeySql("$setId", "k.value")}',
        replace: 'fingerprints f\n  on ${isOfKeySql("$setId", "k.value")} and f.send <> 0',
      },
    ],
    test: {
      file: "test/activities/cut-chunk.test.ts",
      title: "leaves a reject open whose row the service refused once more in a backfill",
    },
  },
  {
    id: "S226",
    plants: "a record in doubt that is refused stops each run by a strict reject_limit",
    edits: [
      {
        file: "activities/stage/split-chunk.ts",
        find: "return code !== refusedAgain;",
        replace: 'return code !== "read_again";',
      },
    ],
    test: { file: refusedTest, title: refusedTitle },
  },
  {
    id: "S227",
    plants: "a record in doubt that was refused is sent once more by each run",
    edits: [
      {
        file: "src/state/store/sends/split.ts",
        find: "if (key === undefined || code !== refusedAgain) continue;",
        replace: "if (key === undefined || code !== '') continue;",
      },
    ],
    test: { file: refusedTest, title: refusedTitle },
  },
  {
    id: "S1902",
    plants: "a record that a run has sent since the look began is called missing or different",
    edits: [
      {
        file: "src/verify/look-up.ts",
        find: " || known.send !== send;",
        replace: ";",
      },
    ],
    test: {
      file: "test/activities/verify/verify-sync.test.ts",
      title: "calls nothing missing or different that a run has sent since the look began",
    },
  },
  {
    id: "S1903",
    plants: "a record that a run is sending is called missing or different",
    edits: [
      {
        file: "src/verify/look-up.ts",
        find: 'return known?.state !== "accepted" || known.send !== send;',
        replace: 'return known?.state === "accepted" && known.send !== send;',
      },
    ],
    test: {
      file: "test/activities/verify/verify-sync.test.ts",
      title: "calls nothing missing or different that a run is sending",
    },
  },
  {
    id: "S1904",
    plants:
      "what is known of a missing record is given up where no run can begin that sends it again",
    edits: [
      {
        file: "src/cli/verify/resend.ts",
        find: "  const source = connectorOf(",
        replace: "  await before();\n  const source = connectorOf(",
      },
    ],
    test: {
      file: "test/src/cli/verify/resend.test.ts",
      title: "a record that is to be sent again stays known where no run can begin",
    },
  },
  {
    id: "S1905",
    plants: "calls are paid for records that could not be sent again in any case",
    edits: [
      {
        file: "src/cli/verify/resend.ts",
        find: "  assertMayRepeat(of.sync,",
        replace: "  if (yes !== true) assertMayRepeat(of.sync,",
      },
    ],
    test: {
      file: "test/src/cli/verify/resend.test.ts",
      title:
        "records of which older versions follow newer ones are not sent again, and no call is made to say so",
    },
  },
  {
    id: "S1971",
    plants: "a run that begins while its sync is reset sends nothing of what did not change",
    edits: [
      {
        file: "src/cli/status/reset.ts",
        find: "  await state.forgetFingerprints({ target, sync });\n",
        replace: "",
      },
    ],
    test: {
      file: "test/activities/run/same-sides.test.ts",
      title: "a run that begins while its sync is reset sends all again",
    },
  },
];
