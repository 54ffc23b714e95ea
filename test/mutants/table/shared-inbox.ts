import { type Mutant, planting } from "../mutant.ts";

const plant = planting({
  file: "test/src/inbox/postgres/receivers.test.ts",
  title: "stamps an event once its connection is its own",
});

const copy = planting({
  file: "test/src/state/copy/copy-store.test.ts",
  title: "takes every table there, and everything back as it was",
});

const restored = planting({
  file: "test/src/state/postgres/restored.test.ts",
  title: "that was restored from a backup trusts nothing",
});

/** Mutants of an inbox that receivers on several hosts share, and of a project that moves to one and back. */
export const mutantsOfSharedInbox: readonly Mutant[] = [
  plant({
    id: "S1000",
    plants: "an event is as old as the transaction that waited for its connection",
    file: "src/inbox/postgres/clock.ts",
    find: "clock_timestamp()",
    replace: "now()",
  }),
  plant({
    id: "S1001",
    plants: "a receiver waits for ever for a database of which the network brings nothing any more",
    file: "src/inbox/postgres/open-tables.ts",
    find: "silenceMsMax: inboxSilenceMsMax",
    replace: "silenceMsMax: inboxSilenceMsMax * 1e4",
    test: "test/src/webhooks/store-away.test.ts",
    title: "is silent answers 503",
  }),
  plant({
    id: "S1002",
    plants: "an inbox lies in a file of one host though the store is in Postgres",
    file: "src/config/load.ts",
    find: "{ stateFolder, store: storeServerOf(members.output?.store) }",
    replace: "{ stateFolder, ...(storeServerOf.length > 1 ? { store: undefined } : {}) }",
    test: "test/src/config/store.test.ts",
    title: "holds what is pushed to a webhook, too",
  }),
  plant({
    id: "S1003",
    plants: "a receiver that began to write an id beside another's keeps the event a second time",
    file: "src/inbox/postgres/keeping.ts",
    find: "  const ids = await GroupIds.read(queries, named);",
    replace: "  const ids = await GroupIds.read(queries, named.slice(named.length));",
    title: "an event that two receivers get at the same time is kept once",
  }),
  copy({
    id: "S1004",
    plants: "a receiver that was not stopped keeps events in an inbox that was moved",
    file: "src/state/copy/copy-store.ts",
    find: "  await from.mark(into.name);\n",
    replace: "",
    title: "has what was pushed wait there",
  }),
  copy({
    id: "S1005",
    plants: "a store that a copy did not come to its end in is taken for the project's",
    file: "src/state/copy/copy-store.ts",
    find: "  await into.mark(from.name);\n",
    replace: "",
    title: "leaves the project where it was when it cannot be finished",
  }),
  copy({
    id: "S1006",
    plants: "numbers that were drawn and are gone are given again by the copy",
    file: "src/state/copy/copy-store.ts",
    find: "if (table.drawn !== undefined)",
    replace: 'if (table.drawn === "nothing")',
    test: "test/src/state/copy/copied-tables.test.ts",
    title: "takes every table there, and everything back as it was",
  }),
  copy({
    id: "S1007",
    plants: "a copy that lacks rows is taken for whole",
    file: "src/state/copy/copy-store.ts",
    find: "if (had !== has) {",
    replace: "if (had < has) {",
    title: "leaves the project where it was when it cannot be finished",
  }),
  copy({
    id: "S1008",
    plants: "a process that has the store open writes into it once it was moved",
    file: "src/state/sqlite/database.ts",
    find: "    (): Result => {\n      refuseMoved();",
    replace: "    (): Result => {",
    title: "has every process refuse both ends until it is made",
  }),
  copy({
    id: "S1009",
    plants: "a process that has the inbox in Postgres open writes into it once it was moved",
    file: "src/state/postgres/version.ts",
    find: "  refuseOther({ ...rows[0], isOpen: opened !== undefined }, server);",
    replace: "  refuseOther({ version: rows[0]?.version }, server);",
    title: "has what was pushed wait there",
  }),
  copy({
    id: "S1010",
    plants: "a transaction that saw the store before it was moved writes while it is copied",
    file: "src/state/copy/postgres-end.ts",
    find: "    await this.#olderTransactions();\n",
    replace: "",
    title: "waits for a transaction that saw the store before it was moved",
  }),
  copy({
    id: "S1780",
    plants:
      "a copy that is made once more waits for nothing that saw the store before it was moved",
    file: "src/state/copy/copy-store.ts",
    find: "  if (!(await from.facts()).has(movedToName)) {\n",
    replace: "  if ((await from.facts()).has(movedToName)) return;\n  {\n",
    title: "waits for it once more after it was cut off in that wait",
  }),
  copy({
    id: "S1781",
    plants: "a store that cannot be moved now is refused by every process from then on",
    file: "src/state/copy/copy-store.ts",
    find: "  try {\n    await leave(ends);\n",
    replace: "  await leave(ends);\n  try {\n",
    title: "leaves the project where it was when what had begun does not end",
  }),
  copy({
    id: "S1011",
    plants: "how new keys are is not copied, so that rejects are open again that were made good",
    file: "src/state/copy/copied-tables.ts",
    find: "array(select json_array_elements_text(v4::json)::bigint) from r`",
    replace: "array(select 0 from json_array_elements_text(v4::json)) from r`",
    title: "has records that were sent count as unchanged",
  }),
  restored({
    id: "S1012",
    plants: "a store in Postgres that was restored from a backup trusts its fingerprints",
    file: "src/state/postgres/send-memory.ts",
    find: "const isBehind = drawn !== undefined && before.send > drawn;",
    replace: "const isBehind = drawn !== undefined && before.send > drawn + 1e9;",
  }),
  restored({
    id: "S1013",
    plants: "a standby that took over is trusted with what its primary knew as sent",
    file: "src/state/postgres/restored.ts",
    find: "    if (now === null) return true;\n",
    replace: "    if (now !== undefined) return true;\n",
    title: "whose standby took over trusts nothing of before",
  }),
  restored({
    id: "S1014",
    plants: "a process begins to work with a standby, which takes no writes",
    file: "src/state/postgres/version.ts",
    find: "if (isStandby || isReadOnly) {",
    replace: "if (isReadOnly && !isStandby) {",
    title: "whose standby took over trusts nothing of before",
  }),
  restored({
    id: "S1015",
    plants: "a role that may only read finds out in the middle of a run",
    file: "src/state/postgres/version.ts",
    find: "if (forbidden === null) return;",
    replace: 'if (forbidden !== "") return;',
    title: "is refused where nothing may be written",
  }),
];
