import { planting, type Mutant } from "../mutant.ts";

const migrate = "src/state/postgres/migrate.ts";
const plant = planting({
  file: "test/src/state/postgres/migrating.test.ts",
  title: "names the workers of the older version",
});

/** Mutants of what several hosts know about their store: its version, the Temporal that it is used with, its clock. */
export const mutantsOfStores: readonly Mutant[] = [
  plant({
    id: "S1320",
    plants: "a migration changes the tables under the workers of the older version",
    file: migrate,
    find: "if (rows.length > 0) {",
    replace: "if (rows.length > 1_000) {",
  }),
  plant({
    id: "S1321",
    plants: "a migration does not wait for a transaction of the older version",
    file: migrate,
    find: "  await client.query(lockSql(name));",
    replace: "",
    title: "waits for what an older process has under way",
  }),
  plant({
    id: "S1322",
    plants: "a transaction that waited for a migration writes as before it",
    file: "src/state/postgres/locking-dialect.ts",
    find: "isolation level ${isolationLevel}; ${this.#locking}`",
    replace: "isolation level ${isolationLevel}`",
    title: "finds the version of after",
  }),
  plant({
    id: "S1323",
    plants:
      "status says that a schedule is gone, because another Temporal than the store's has none",
    file: "src/cli/running/ask-temporal.ts",
    find: "if (other !== undefined) silent = other;",
    replace: 'if (other?.text === "") silent = other;',
    test: "test/src/cli/running/ask-temporal.test.ts",
    title: "that the store is not used with",
  }),
  plant({
    id: "S1324",
    plants: "a backfill and a look at a sample go by the clock of the machine",
    file: "src/cli/output/context.ts",
    find: "if (config.store === undefined) return new Date();",
    replace: 'if (config.stateFolder !== "") return new Date();',
    test: "test/src/cli/output/store-now.test.ts",
    title: "by the store's clock",
  }),
  plant({
    id: "S1325",
    plants: "on Postgres a permit waits for the disk, and with it whoever wants the next one",
    file: "src/state/postgres/permit.ts",
    find: "set_config('synchronous_commit', 'off', true)",
    replace: "set_config('synchronous_commit', 'on', true)",
    test: "test/src/state/postgres/permit.test.ts",
    title: "waits for no flush",
  }),
  plant({
    id: "S1326",
    plants: "on Postgres a delivery is noted before it is known that its event is kept",
    file: "src/inbox/postgres/keeping.ts",
    find: "  await insertEvents(queries, rows);\n  await ids.write(queries);",
    replace:
      "  await ids.write(queries);\n  await sql`commit`.execute(queries);\n  await insertEvents(queries, rows);",
    test: "test/src/inbox/postgres/crash-points.test.ts",
    title: "is kept whole or not at all",
  }),
  plant({
    id: "S1327",
    plants: "a receiver judges by the clock of its host when a delivery was signed",
    file: "src/webhooks/delivery-handler.ts",
    find: "const receivedAt = this.#parts.now();",
    replace: "const receivedAt = [Date.now(), this.#parts.now()][0] ?? 0;",
    test: "test/src/webhooks/signed-time.test.ts",
    title: "by the clock that it is given",
  }),
  {
    id: "S1932",
    plants: "a store in Postgres whose disk is full is said to be out of reach",
    edits: [{ file: "src/state/postgres/store-error.ts", find: '"53100":', replace: '"53101":' }],
    test: {
      file: "test/src/state/postgres/look-at-store.test.ts",
      title: "a store says what to do where the disk of its server is full",
    },
  },
  {
    id: "S1992",
    plants: "a run whose namespace is gone ends with what a library says of it",
    edits: [
      {
        file: "src/cli/running/follow.ts",
        find: "return missing ?? failureOf(error);",
        replace: "return failureOf(error) ?? missing;",
      },
    ],
    test: {
      file: "test/src/cli/running/ask-temporal.test.ts",
      title: "a run whose namespace is gone says so",
    },
  },
  {
    id: "S1996",
    plants: "cancel leaves a run to a worker that was killed a moment ago",
    edits: [
      {
        file: "src/cli/run/cancel.ts",
        find: "(await workersAt(at)).length > 0",
        replace: "await isKnownToWorkers(at, at.temporalId)",
      },
    ],
    test: {
      file: "test/src/cli/run/cancel.test.ts",
      title: "cancel ends a run whose task queue is not the project's any more",
    },
  },
  {
    id: "S1997",
    plants:
      "a killed worker at another Temporal keeps the lock of its run for as long as its last beat counts",
    edits: [
      {
        file: "activities/run/run-open.ts",
        find: "(await liveWorkers(deps.state, {",
        replace:
          "(await liveWorkers({ beats: async (a) => (await deps.state.beats(a)).map((b) => ({ ...b, name: '' })) }, {",
      },
    ],
    test: {
      file: "test/activities/run/close-abandoned.test.ts",
      title:
        "leaves no run to a worker at another Temporal server that beat a moment ago and was killed",
    },
  },
  plant({
    id: "S2025",
    plants: "what a zombie begins just before its run gives the lock back stays staged for ever",
    file: "src/state/store/runs/locks.ts",
    find: "  if (numUpdatedRows > 0n) await dropStagings(queries, { runId });\n",
    replace: "  void [numUpdatedRows, dropStagings];\n",
    test: "test/src/state/locks.test.ts",
    title: "leaves nothing staged where it is given back",
  }),
  plant({
    id: "S2195",
    plants: "a run that waits at a Temporal that is gone stays open for ever",
    file: "activities/run/close-abandoned.ts",
    find: "run.runId !== runId && run.target === target;",
    replace: "run.runId !== runId && run.target === target && run.temporalId === deps.temporalId;",
    test: "test/activities/run/close-abandoned.test.ts",
    title: "ends what waits at another Temporal server and has no lock, once no worker beats there",
  }),
  plant({
    id: "S2196",
    plants: "runs of the Temporal that a store was used with before stay open for ever",
    file: "activities/run/close-abandoned.ts",
    find: " && config.store === undefined;",
    replace: ";",
    test: "test/activities/run/close-abandoned.test.ts",
    title: "ends a run of another Temporal server that its store is not used with any more",
  }),
  plant({
    id: "S2194",
    plants: "an empty folder of the path that a store moved to is copied over that store",
    file: "src/state/copy/copy-store.ts",
    find: 'keptId === undefined || keptId === there.get("store_id")',
    replace: "keptId !== from.name",
    test: "test/src/state/copy/moved-away.test.ts",
    title: "is not replaced by an empty folder of the path that it moved to",
  }),
];
