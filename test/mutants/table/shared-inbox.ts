import { type Mutant, planting } from "../mutant.ts";

const plant = planting({
  file: "test/src/inbox/postgres/receivers.test.ts",
  title: "stamps an event once its connection is its own",
});

/** Mutants of the inbox that receivers of several hosts have. */
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
];
