import type { Mutant } from "../mutant.ts";

const explained = "src/cli/run/explained.ts";
const situationsTest = "test/src/cli/run/explained-situations.test.ts";
const explainTest = "test/src/cli/run/explain.test.ts";

/** Mutants of the explanation of what became of a record. */
export const mutantsOfExplained: readonly Mutant[] = [
  {
    id: "S1854",
    plants: "a record that was refused is told as forgotten by a reset, in sqlite",
    edits: [
      {
        file: "src/state/sqlite/keys/known-records.ts",
        find: 'if (send === 0) return { state: "unknown", why: "untaken" };',
        replace: "",
      },
    ],
    test: {
      file: "test/src/state/keys/known-records.test.ts",
      title: "knows that a record was refused, and of the others what it knew",
    },
  },
  {
    id: "S1855",
    plants: "a record that was refused is told as forgotten by a reset, in postgres",
    edits: [
      {
        file: "src/state/postgres/keys/known-records.ts",
        find: 'if (send === 0) return { state: "unknown", why: "untaken" };',
        replace: "",
      },
    ],
    test: {
      file: "test/src/state/keys/known-records.test.ts",
      title: "knows that a record was refused, and of the others what it knew",
    },
  },
  {
    id: "S1995",
    plants:
      "nothing says which run has a record that the service refused and whose chunk is on its way, in sqlite",
    edits: [
      {
        file: "src/state/sqlite/keys/known-records.ts",
        find: "send: staged.numberAt(entry)",
        replace: "send: Math.abs(staged.sendAt(entry))",
      },
    ],
    test: {
      file: "test/src/state/keys/known-records.test.ts",
      title: "knows that a record was refused, and of the others what it knew",
    },
  },
  {
    id: "S1080",
    plants: "what is forgotten is told as sent and not settled",
    edits: [
      {
        file: "src/state/sqlite/keys/known-records.ts",
        find: 'if (send <= validAfter) return { state: "unknown", why: "forgotten" };',
        replace: 'if (send <= validAfter) return { state: "unknown", why: "unsettled" };',
      },
    ],
    test: { file: explainTest, title: "says why nothing is known" },
  },
  {
    id: "S1081",
    plants: "a scan tells of rows of other keys",
    edits: [
      { file: explained, find: "if (scans && key !== name) continue;", replace: "" },
      { file: explained, find: "(!scans || key === name)", replace: "(true)" },
    ],
    test: { file: explainTest, title: "tells of what is unchanged, new, rejected and gone" },
  },
  {
    id: "S1082",
    plants: "rejects of other syncs are told for a key",
    edits: [
      {
        file: "src/state/store/rejects/rejects.ts",
        find: "where r.key = ${key} and u.target = ${target} and u.sync = ${sync}",
        replace: "where r.key = ${key} and u.target = ${target}",
      },
    ],
    test: {
      file: "test/src/state/open-rejects.test.ts",
      title: "are told by key with those that are not open any more",
    },
  },
  {
    id: "S1230",
    plants: "a record that a run sent twice is told as forgotten",
    edits: [
      {
        file: "src/state/sqlite/keys/known-records.ts",
        find: "const send = Math.abs(found.send);",
        replace: "const { send } = found;",
      },
    ],
    test: { file: situationsTest, title: "that a run sent twice" },
  },
  {
    id: "S1231",
    plants: "of a record on its way nothing says that its run is held",
    edits: [
      {
        file: "src/cli/run/explain-text.ts",
        find: 'held === undefined ? "" : `, held since ${held.since}`',
        replace: '""',
      },
    ],
    test: { file: situationsTest, title: "that a held run has staged" },
  },
  {
    id: "S1232",
    plants: "in Postgres a record that a crashed run sent is told without that run",
    edits: [
      {
        file: "src/state/postgres/keys/known-records.ts",
        find: 'why: "unsettled", send }',
        replace: 'why: "unsettled" }',
      },
    ],
    test: { file: situationsTest, title: "of which nobody knows whether it was taken" },
  },
  {
    id: "S1233",
    plants: "the pulls that write into the rows of a sync are those that do not",
    edits: [
      {
        file: "src/config/feedback-loop.ts",
        find: ".filter((pull) => readsWhatIsWritten(sync, pull))",
        replace: ".filter((pull) => !readsWhatIsWritten(sync, pull))",
      },
    ],
    test: { file: situationsTest, title: "whose row a pull writes into" },
  },
  {
    id: "S1449",
    plants: "of a row that is rejected now its place is looked up as if it were its key",
    edits: [
      {
        file: explained,
        find: 'row.is === "reject" ? row.reject.key : undefined;',
        replace: "undefined;",
      },
    ],
    test: {
      file: explainTest,
      title:
        "tells of a row that is rejected now what the service holds of its key, and not of its place",
    },
  },
  {
    id: "S1451",
    plants: "explain wants to write into the state folder",
    edits: [{ file: explained, find: ", lookUp, { onlyReads: true });", replace: ", lookUp);" }],
    test: {
      file: "test/src/cli/run/read-only.test.ts",
      title: "explain, plan and preview need no state folder that can be written",
    },
  },
  {
    id: "S1651",
    plants: "what the store knows of a key is not told while its source is down",
    edits: [
      {
        file: explained,
        find: "what.isPlace === true ||",
        replace: "what.isPlace !== undefined ||",
      },
    ],
    test: {
      file: explainTest,
      title:
        "tells what the store knows of a key while the source cannot be asked, and fails as that does",
    },
  },
  {
    id: "S1745",
    plants: "status needs an inbox that can be written",
    edits: [
      {
        file: "src/cli/status/inbox.ts",
        find: "await openInbox(config, { onlyReads: true });",
        replace: "await openInbox(config);",
      },
    ],
    test: {
      file: "test/src/cli/run/read-only.test.ts",
      title: "status, explain and preview need none either where events are pushed to",
    },
  },
  {
    id: "S1746",
    plants: "what is pushed is not read where nothing can be written",
    edits: [
      {
        file: "src/inbox/sqlite/reader.ts",
        find: "    if (!isUnwritable(error)) throw error;",
        replace: "    if (!isUnwritable(error) || file !== '') throw error;",
      },
    ],
    test: {
      file: "test/src/cli/run/read-only.test.ts",
      title: "status, explain and preview need none either where events are pushed to",
    },
  },
  {
    id: "S1750",
    plants: "a reject that no replay took is told as open for ever",
    edits: [
      {
        file: "src/cli/run/reject-text.ts",
        find: 'return isOpen ? "open" : "closed";',
        replace: 'return isOpen ? "open" : "open";',
      },
    ],
    test: {
      file: situationsTest,
      title:
        "that was rejected, and is open no more: a newer row was sent, or its chunk was given up",
    },
  },
  {
    id: "S1751",
    plants: "a reject of a chunk that was given up is told as open",
    edits: [
      {
        file: "src/state/store/rejects/rejects.ts",
        find: "g.state in ('cut', 'dropped')",
        replace: "g.state in ('cut')",
      },
    ],
    test: {
      file: situationsTest,
      title:
        "that was rejected, and is open no more: a newer row was sent, or its chunk was given up",
    },
  },
  {
    id: "S1893",
    plants: "a row that runs reject for its key is said to be sent",
    edits: [
      {
        file: explained,
        find: 'if (sync.send === "all" || !rejectsDuplicates(source, sync)) return false;',
        replace: 'if (sync.name !== "") return false;',
      },
    ],
    test: {
      file: explainTest,
      title: "says of a row that runs reject because an earlier one has its key that none sends it",
    },
  },
  {
    id: "S1937",
    plants: "preview shows a second row of a key as one that is sent",
    edits: [
      {
        file: "src/cli/run/preview.ts",
        find: "if (!isNamed) return seen.size === seen.add(key).size;",
        replace: "if (!isNamed) return false;",
      },
    ],
    test: {
      file: "test/src/cli/run/preview.test.ts",
      title: "says of a second row of a key that a run rejects it, as the run does",
    },
  },
  {
    id: "S1938",
    plants: "explain takes a line beyond the end of a file for a key",
    edits: [
      {
        file: "src/cli/run/explained.ts",
        find: "(source.placesAreLines === true && isLine(name))",
        replace: "false",
      },
    ],
    test: {
      file: "test/src/cli/run/explain.test.ts",
      title: "says of a place where no row is nothing of a scan, which takes none",
    },
  },
];
