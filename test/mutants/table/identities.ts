import type { Mutant } from "../mutant.ts";

/** Mutants of the identity of account, source and store: a different one must be noticed. */
export const mutantsOfIdentities: readonly Mutant[] = [
  {
    id: "S120",
    plants: "another API key is taken without a word",
    edits: [
      {
        file: "connectors/identities.ts",
        find: "known !== undefined && known.identity !== identity;",
        replace: "known !== undefined && known.identity === null;",
      },
    ],
    test: {
      file: "test/activities/run/same-sides.test.ts",
      title: "stops a run before anything leaves, and says which key it was",
    },
  },
  {
    id: "S121",
    plants: "another database is read from the checkpoint of the first",
    edits: [
      {
        file: "connectors/same-sides.ts",
        find: "const trust: Trust = { isFresh, isKept };",
        replace: "const trust: Trust = { isFresh: true, isKept };",
      },
    ],
    test: {
      file: "test/activities/run/same-sides.test.ts",
      title: "stops a run before anything is read, and names both",
    },
  },
  {
    id: "S122",
    plants: "a run continues with the key of a worker that was started again",
    edits: [
      {
        file: "activities/dependencies.ts",
        find: "  await assertStillSameAccount(deps, run);\n",
        replace: "",
      },
    ],
    test: {
      file: "test/activities/run/same-sides.test.ts",
      title: "ends a run whose worker was started again with it",
    },
  },
  {
    id: "S123",
    plants: "a database that was restored to a point in time counts as one whose replica took over",
    edits: [
      {
        file: "connectors/postgres/identity.ts",
        find: "  if (isBefore(found.fork, known.wal)) return restored;\n",
        replace: "",
      },
    ],
    test: {
      file: "test/connectors/postgres/identity.test.ts",
      title: "stops when it is restored to a point in time",
    },
  },
  {
    id: "S124",
    plants: "a checkpoint above every value of a numeric change column is continued from",
    edits: [
      {
        file: "connectors/postgres/recognize.ts",
        find: '=== "t" ? positionText(position) : null;',
        replace: '=== "T" ? positionText(position) : null;',
      },
    ],
    test: {
      file: "test/activities/run/same-sides.test.ts",
      title: "stops the run, as after a backup was restored",
    },
  },
  {
    id: "S125",
    plants: "a store is migrated while a worker of an older version works with it",
    edits: [
      {
        file: "src/state/sqlite/database.ts",
        find: "    if (from > 0) refuseLiveWorkers(db, file);\n",
        replace: "",
      },
    ],
    test: {
      file: "test/src/state/database.test.ts",
      title:
        "leaves the schema of a store as it is while a worker of an older version works with it",
    },
  },
  {
    id: "S126",
    plants: "a store that was restored from a backup trusts its fingerprints",
    edits: [
      {
        file: "src/state/sqlite/last-send.ts",
        find: "set valid_after = $send, is_restored = 1",
        replace: "set is_restored = 1",
      },
    ],
    test: {
      file: "test/activities/doubt/restored-store.test.ts",
      title: "sends what was sent before the backup that its store was restored from",
    },
  },
  {
    id: "S196",
    plants: "a database that was dropped and made again under its name is the same",
    edits: [
      {
        file: "connectors/postgres/identity.ts",
        find: "known.database !== found.database || known.oid !== found.oid",
        replace: "known.database !== found.database || found.oid.length === 99",
      },
    ],
    test: {
      file: "test/connectors/postgres/identity.test.ts",
      title: "stops when it is dropped and made again under its name",
    },
  },
  {
    id: "S210",
    plants:
      "another account after a first run that was cut, which made no checkpoint, is taken without a word",
    edits: [
      {
        file: "connectors/same-sides.ts",
        find: " && !(await known.state.hasSent(name));",
        replace: ";",
      },
    ],
    test: {
      file: "test/activities/run/same-sides.test.ts",
      title: "stops a run after a first one that was cut: what was accepted of that is known",
    },
  },
  {
    id: "S211",
    plants:
      "a backfill that keeps no fingerprints continues after a pause with another account's key",
    edits: [
      {
        file: "connectors/same-sides.ts",
        find: "version === 0 && !isBegun && ",
        replace: "version === 0 && ",
      },
    ],
    test: {
      file: "test/activities/run/same-sides.test.ts",
      title: "stops a backfill that continues after a pause: send all",
    },
  },
  {
    id: "S212",
    plants:
      "a backfill that waits continues after a reset, with what it sent to the account before",
    edits: [
      {
        file: "src/cli/status/reset.ts",
        find: "= await endBackfills(state, { target, sync }, at);",
        replace: "= await Promise.resolve([]);",
      },
    ],
    test: {
      file: "test/activities/run/same-sides.test.ts",
      title: "ends a backfill that waits, when the sync is reset for it",
    },
  },
  {
    id: "S213",
    plants: "what was in doubt in one account is sent to another one after a reset",
    edits: [
      {
        file: "src/cli/status/reset.ts",
        find: "  await state.forgetDoubts({ target, sync });\n",
        replace: "",
      },
    ],
    test: {
      file: "test/src/cli/status/state.test.ts",
      title: "sends nothing to the other account that was in doubt in the first",
    },
  },
  {
    id: "S214",
    plants: "nobody is told of what is in doubt of a sync that was removed from the configuration",
    edits: [
      {
        file: "src/cli/status/doubts.ts",
        find: "[...syncs, ...others].map",
        replace: "[...syncs, ...others.slice(9)].map",
      },
    ],
    test: {
      file: "test/src/cli/status/doubts.test.ts",
      title: "is told of a sync that is not configured any more, with both ways on",
    },
  },
  {
    id: "S215",
    plants: "what the service refused by its own fault is not tried again after a reset",
    edits: [
      {
        file: "src/cli/status/reset.ts",
        find: "  await state.forgetRefusals({ target, sync });\n",
        replace: "",
      },
    ],
    test: {
      file: "test/src/cli/status/state.test.ts",
      title: "has tried again what the service refused",
    },
  },
  {
    id: "S216",
    plants: "what the service refused in a chunk that is never committed is never tried again",
    edits: [
      {
        file: "src/state/store/sends/refusals.ts",
        find: '    .where("notedAt", ">", since)\n',
        replace: '    .where("notedAt", ">", since.slice(0, 0))\n',
      },
    ],
    test: {
      file: "test/activities/cut-chunk.test.ts",
      title: "tries what was refused once more a day later: the fault may have been the service's",
    },
  },
  {
    id: "S217",
    plants: "keys whose newer value is lost are counted and not named",
    edits: [
      {
        file: "src/cli/status/doubts.ts",
        find: "${namesOf(lost, facts.lost)} → ${way}",
        replace: "${way}",
      },
    ],
    test: {
      file: "test/src/cli/status/doubts.test.ts",
      title: "names the keys of which the newer line is lost",
    },
  },
  {
    id: "S218",
    plants: "status says of what was in doubt when the last run ended that it still is",
    edits: [
      {
        file: "src/cli/status/transfer.ts",
        find: "last.warnings.find((text) => !isOfDoubt(text))",
        replace: "last.warnings.at(0)",
      },
    ],
    test: {
      file: "test/src/cli/status/transfer.test.ts",
      title:
        "leaves out what was in doubt when the run ended: how that stands now is told on lines of its own",
    },
  },
  {
    id: "S219",
    plants: "a backfill is advised of rows that others post",
    edits: [
      {
        file: "src/cli/status/doubts.ts",
        find: "configured?.isPush === true",
        replace: "configured === null",
      },
    ],
    test: {
      file: "test/src/cli/status/doubts.test.ts",
      title: "is no matter of a backfill where others post the rows",
    },
  },
  {
    id: "S1760",
    plants:
      "a table of the same name that the search path finds now is read on after the other's checkpoint",
    edits: [
      {
        file: "connectors/postgres/column-order.ts",
        find: "known.place !== found.place) {",
        replace: "false) {",
      },
    ],
    test: {
      file: "test/connectors/postgres/recognize.test.ts",
      title: "notices that the search path finds another table of the same name",
    },
  },
];
