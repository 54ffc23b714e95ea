import { planting, type Mutant } from "../mutant.ts";

const memory = "src/state/postgres/send-memory.ts";
const wentBack = "test/src/state/postgres/went-back.test.ts";
const copying = "test/src/state/copy/copy-store.test.ts";
const plant = planting({ file: wentBack, title: "is noticed by a worker that works on" });

/** Mutants of a store that changes while processes work on it, and of what a copy may replace. */
export const mutantsOfOtherStores: readonly Mutant[] = [
  plant({
    id: "S1480",
    plants: "a worker that works on trusts a store that went back under it",
    file: memory,
    find: "if (drawn.send <= before.send || (await hasOthers(queries, before))) {",
    replace: "if (drawn.send < 0) {",
  }),
  plant({
    id: "S1481",
    plants: "a store that went back is trusted once it has drawn as many numbers again",
    file: memory,
    find: "mark !== undefined && markOf(one) !== mark;",
    replace: "mark !== undefined && markOf(one) === send.toString();",
    title: "is noticed by a host that starts once another one has drawn as many numbers",
  }),
  plant({
    id: "S1482",
    plants: "a worker that draws nothing does not notice that its store went back",
    file: "src/state/postgres/open-methods.ts",
    find: "          await memory.look();\n",
    replace: "",
    title: "is noticed by a worker that has nothing to do",
  }),
  plant({
    id: "S1483",
    plants: "a process works on in the tables that another store has in place of its own",
    file: "src/state/postgres/version.ts",
    find: "if (opened !== undefined && found !== opened.value)",
    replace: "if (opened !== undefined && found === opened.name)",
    title: "has whoever began with the one before wait",
  }),
  plant({
    id: "S1484",
    plants: "a worker whose tables are gone has a run fail, and a person make empty ones",
    file: "src/state/postgres/store-error.ts",
    find: "return isOpen ? otherStoreError(server) : versionError(0, server);",
    replace: "return versionError(0, server);",
    title: "has whoever began with the one before wait",
  }),
  plant({
    id: "S1485",
    plants: "a worker of before a migration has runs of those of after it fail",
    file: "src/state/postgres/version.ts",
    find: "const othersTryMs = isOpen ? beatsKeepSchemaMs : undefined;",
    replace: "const othersTryMs = isOpen ? undefined : undefined;",
    title: "of another version by now has others try",
  }),
  {
    id: "S1486",
    plants: "a worker of before a migration goes on taking work that it cannot do",
    edits: [
      {
        file: "src/local/presence.ts",
        find: 'if (error instanceof ConfigError && error.field === "store") resolve(error);',
        replace: "void error;",
      },
    ],
    test: {
      file: "test/src/local/presence.test.ts",
      title: "beats on while the store is away, and tells once it is not for this worker any more",
    },
  },
  {
    id: "S1830",
    plants: "a worker of a copied state folder takes the runs of the other one",
    edits: [
      {
        file: "src/local/presence.ts",
        find: "return isThere && place !== folderName(folder);",
        replace: "return isThere && place === undefined;",
      },
    ],
    test: {
      file: "test/src/local/presence.test.ts",
      title: "a queue that a worker of a copied state folder polls is refused",
    },
  },
  {
    id: "S1831",
    plants: "cancel asks a run to stop that nobody continues with, as its task queue was changed",
    edits: [
      {
        file: "src/cli/run/cancel.ts",
        find: "(isEnded ? handle.terminate",
        replace: "(isEnded && taskQueue === elsewhere + taskQueue ? handle.terminate",
      },
    ],
    test: {
      file: "test/src/cli/run/cancel.test.ts",
      title: "cancel ends a run whose task queue is not the project's any more",
    },
  },
  {
    id: "S1832",
    plants: "cancel ends a run that a worker on another task queue could stop cleanly",
    edits: [
      {
        file: "src/cli/run/cancel.ts",
        find: "!stores.includes(project.state.storeId)",
        replace: "!stores.includes(taskQueue)",
      },
    ],
    test: {
      file: "test/src/cli/run/cancel.test.ts",
      title: "cancel ends a run whose task queue is not the project's any more",
    },
  },
  {
    id: "S1833",
    plants: "a run of a Temporal that is lost, whose sync was renamed, stays held for ever",
    edits: [
      {
        file: "activities/run/close-abandoned.ts",
        find: "run.temporalId === deps.temporalId || !isNeeded",
        replace: "run.temporalId === deps.temporalId",
      },
    ],
    test: {
      file: "test/activities/run/close-abandoned.test.ts",
      title: "ends a run of another Temporal server whose sync is not configured any more",
    },
  },
  plant({
    id: "S1490",
    plants:
      "a worker that is gone holds a migration up for as long as the database's clock was set back",
    file: "src/state/postgres/migrate.ts",
    find: "where abs(extract(epoch from clock_timestamp()) * 1000 - last_beat) < ",
    replace: "where extract(epoch from clock_timestamp()) * 1000 - last_beat < ",
    test: "test/src/state/postgres/migrating.test.ts",
    title: "is not held up by a worker heard of before the clock",
  }),
  plant({
    id: "S1491",
    plants: "a commit counts as prepared before it is",
    file: "src/state/store/sends/prepare-commit.ts",
    find: "await db.writeParts([...steps, last], async",
    replace: "await db.writeParts([last, ...steps], async",
    test: "test/src/state/postgres/cut-commits.test.ts",
    title: "is cut off in prepare of a chunk",
  }),
  plant({
    id: "S1492",
    plants: "the process of a worker that broke stays, and does nothing",
    file: "src/cli/output/interrupt.ts",
    find: "  } finally {\n    clearInterval(alive);\n",
    replace: "  } finally {\n",
    test: "test/src/cli/output/interrupt.test.ts",
    title: "stays alive for as long, and no longer",
  }),
  plant({
    id: "S1493",
    plants: "what a copy says is one line",
    file: "src/cli/status/copy-store.ts",
    find: '.map(plainText)\n    .join("\\n")',
    replace: '.map(plainText)\n    .join(" ")',
    test: "test/src/cli/status/copy-store.test.ts",
    title: "says in lines of its own",
  }),
  plant({
    id: "S1494",
    plants: "a project in which nothing was done yet is copied again by the next copy",
    file: "src/state/copy/copy-store.ts",
    find: "  if (kept === undefined && left !== undefined && isMade) return true;\n",
    replace:
      "  if (kept === undefined && left !== undefined && isMade && !(await into.isEmpty())) return true;\n",
    test: "test/src/cli/status/copy-store.test.ts",
    title: "says in lines of its own",
  }),
  plant({
    id: "S1487",
    plants: "a copy replaces a project whose runs were pruned",
    file: "src/state/copy/copied-tables.ts",
    find: 'namesIn("runs checkpoints fingerprint_sets")',
    replace: 'namesIn("runs")',
    test: copying,
    title: "takes nothing into a store of which the runs were pruned",
  }),
  plant({
    id: "S1488",
    plants: "a project cannot be taken back where its server has another address by now",
    file: "src/state/copy/copy-store.ts",
    find: "!isCutOff && !isOfThere",
    replace: "!isCutOff",
    test: copying,
    title: "takes a project back by whatever address",
  }),
  plant({
    id: "S1489",
    plants: "a host remembers the number of its last send alone",
    file: "src/state/last-send-file.ts",
    find: "return mark === noMark ? numbers : { ...numbers, mark };",
    replace: "return mark === noMark ? numbers : numbers;",
    title: "is noticed by a host that starts once another one has drawn as many numbers",
  }),
  plant({
    id: "S2191",
    plants: "a store from a backup trusts what was staged before the backup, and sent after it",
    file: "src/state/sqlite/open-methods.ts",
    find: "          if (begun.attempts > 0) lastSend.leave(begun.send);\n",
    replace: "",
    test: "test/activities/doubt/restored-store.test.ts",
    title: "notices a backup from between the staging of a chunk and the moment when it left",
  }),
  plant({
    id: "S2192",
    plants: "a host forgets that it sent what a store in Postgres knows as staged",
    file: memory,
    find: "isAnothers || (one.send === left && !isThere)",
    replace: "isAnothers || (one.send < 0 && !isThere)",
    title: "is noticed by the host that sent what the backup knows as staged",
  }),
  plant({
    id: "S2193",
    plants: "a store in Postgres counts as gone back each time that a process starts",
    file: memory,
    find: "    keep();\n    last = noSend;\n",
    replace: "    last = noSend;\n",
    title:
      "is noticed by the host that sent what the backup knows as staged, once others have sent, too",
  }),
  plant({
    id: "S1752",
    plants: "whose a store is, is told as if this project had the old name",
    file: "src/cli/status/store.ts",
    find: "store: { ...server, project: undefined }",
    replace: "store: { ...server, project: from }",
    test: "test/src/cli/status/store.test.ts",
    title: "says whose the store is, where it never had the name that is given",
  }),
  plant({
    id: "S1753",
    plants: "a stranger's Temporal is held against a store whose own is stopped",
    file: "src/cli/running/reach-temporal.ts",
    find: "if (reached.isFound && used !== undefined && isOwnServer(config, used)) return undefined;",
    replace: "",
    test: "test/src/cli/running/reach-temporal.test.ts",
    title: "takes a stranger on the default address for none, while the project's own is stopped",
  }),
  plant({
    id: "S1754",
    plants: "any Temporal of a store that is away is taken for the project's own",
    file: "src/cli/running/reach-temporal.ts",
    find: 'isLoopback(at.replace(/:\\d+$/, "")) && ',
    replace: "at !== undefined && ",
    test: "test/src/cli/project/doctor.test.ts",
    title:
      "the project's own Temporal that is stopped is well; another one of the store that is away is not",
  }),
  plant({
    id: "S1921",
    plants: "a page that waits in a store which went back is written over what was pulled since",
    file: "src/state/postgres/timeline.ts",
    find: "await sql`delete from ${pages}`.execute(queries);",
    replace: "void pages;",
    title: "keeps no page of a pull that waited in the backup, and says that it may be paid twice",
  }),
  plant({
    id: "S1960",
    plants:
      "a store in a folder is read and written on when its file was removed, or another is in its place",
    file: "src/state/sqlite/replaced.ts",
    find: "?.ino !== ino;",
    replace: "?.ino === 0;",
    test: "test/src/state/open.test.ts",
    title:
      "is not read and not written any more once its file was removed, or another is in its place",
  }),
  plant({
    id: "S1961",
    plants: "a store whose file was replaced is refused, but its worker works on",
    file: "src/state/sqlite/replaced.ts",
    find: '        field: "store",\n',
    replace: "",
    test: "test/src/state/open.test.ts",
    title:
      "is not read and not written any more once its file was removed, or another is in its place",
  }),
  plant({
    id: "S1993",
    plants: "a worker that starts says nothing of one on another task queue",
    file: "src/hosts/store-guards.ts",
    find: "if (other === undefined) return;\n  log",
    replace: "if (other !== null) return;\n  log",
    test: "test/src/hosts/store-guards.test.ts",
    title: "a worker that starts names one of the project that polls another task queue",
  }),
];
