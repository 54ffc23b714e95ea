import { planting, type Mutant } from "../mutant.ts";

const plans = "src/cli/plan";
const [readPlan, plannedKeys] = [`${plans}/read-plan.ts`, `${plans}/planned-keys.ts`];
const adopt = "src/cli/status/adopt.ts";
const adoptions = "src/state/store/keys/adoptions.ts";
const openRun = "src/state/store/keys/open-run.ts";
const onSqlite = "src/state/sqlite/keys/adopting.ts";
const onPostgres = "src/state/postgres/keys/adopting.ts";
const adoptTest = "test/src/cli/status/adopt.test.ts";

const plant = planting({
  file: "test/src/cli/plan/plan.test.ts",
  title: "tells a person what would be sent, and a script by its exit code",
});
const plantInStore = planting({
  file: "test/src/state/keys/adoptions.test.ts",
  title: "take a record only where exactly the one before is known",
});
const sentSince =
  "are not given back of a key that was sent since as it was adopted, or adopted again";
const givesBack = "give back one after the other what was known";
const whileOpen = "take nothing while a run is open or held";

/** Mutants of `sluice plan` and `sluice state adopt`. */
export const mutantsOfPlans: readonly Mutant[] = [
  plant({
    id: "S1100",
    plants: "a plan counts what the service holds as sent",
    file: plannedKeys,
    find: "(await this.#state?.judgeKeys(input)) ?? ",
    replace: "",
  }),
  plant({
    id: "S1101",
    plants: "a plan leaves a mark in the store",
    file: readPlan,
    find: "  const range = await rangeOf(of);",
    replace:
      "  const range = await rangeOf(of);\n" +
      '  await state?.keepMapping({ target, sync: sync.name, mapping: "planned", written: null });',
    title: "says of each edit of a mapping what the next run then does",
  }),
  plant({
    id: "S1102",
    plants: "a plan that would send something ends as one that would not",
    file: `${plans}/plan.ts`,
    find: '  if (counts.would_send > 0 || stops === "held") return exitCodes.held;',
    replace: "",
  }),
  plant({
    id: "S1103",
    plants: "a record is adopted that differs in a field that was not named, too",
    file: `${plans}/adopt-records.ts`,
    find: "return [...paths].every(",
    replace: "return [...paths].some(",
    test: adoptTest,
    title: "leaves records to be sent that differ in a field that was not named",
  }),
  plant({
    id: "S1104",
    plants: "fields may be adopted that are mapped as they were",
    file: adopt,
    find: "if (edited.includes(asked)) continue;",
    replace: "if (all.has(asked)) continue;",
    test: adoptTest,
    title: "says what is wrong with account_properties.name",
  }),
  plant({
    id: "S1105",
    plants: "where the text of the last mapping is gone, an older one is adopted from",
    file: adopt,
    find: "last > 0 && mapping !== now)",
    replace:
      "last > 0 && mapping !== now && all.some((one) => one.mapping === mapping && one.written))",
    test: adoptTest,
    title: "needs a mapping that says what it made",
  }),
  plantInStore({
    id: "S1106",
    plants: "records are adopted while a run of the sync is open",
    file: adoptions,
    find: "      await assertNoOpenRun(queries, input);\n",
    replace: "",
    title: whileOpen,
  }),
  plantInStore({
    id: "S1107",
    plants: "records are adopted while a run of the sync is held",
    file: openRun,
    find: '    .where("endedAt", "is", null)\n',
    replace: '    .where("endedAt", "is", null)\n    .where("hold", "is", null)\n',
    title: whileOpen,
  }),
  plantInStore({
    id: "S1108",
    plants: "a record is adopted whatever the service holds of its key",
    file: onSqlite,
    find: "and f.hash = $before and",
    replace: "and $before is not null and",
  }),
  plantInStore({
    id: "S1109",
    plants: "on Postgres a record is adopted whatever the service holds of its key",
    file: onPostgres,
    find: "f.tag = k.tag and f.hash = k.before\n",
    replace: "f.tag = k.tag\n",
  }),
  plantInStore({
    id: "S1110",
    plants: "an undone adoption takes back what was sent since as it was adopted",
    file: onSqlite,
    find: "f.hash = a.hash\n  and f.send = a.send and",
    replace: "f.hash = a.hash\n  and",
    title: sentSince,
  }),
  plantInStore({
    id: "S1111",
    plants: "on Postgres an undone adoption takes back what was adopted again since",
    file: onPostgres,
    find: "and uuid_send(f.hash) = taken.hash and",
    replace: "and",
    title: sentSince,
  }),
  plantInStore({
    id: "S1112",
    plants: "on Postgres an undone adoption leaves the fields as they were adopted",
    file: onPostgres,
    find: "select set_id, id, fields_before from restored\n",
    replace: "select set_id, id, fields_before from restored where false\n",
    title: givesBack,
  }),
  plant({
    id: "S1113",
    plants: "nobody is told that a record was adopted",
    file: "src/cli/run/explain-text.ts",
    find: "if (adopted === undefined) return held;",
    replace: "if (adopted?.at !== undefined || adopted === undefined) return held;",
    test: adoptTest,
    title: "has the next run send nothing, and a row that changes later is sent",
  }),
  {
    id: "S1091",
    plants: "forget leaves what state adopt keeps of a key in SQLite",
    edits: [
      {
        file: "src/state/sqlite/keys/key-keeping.ts",
        find: "      eraseAdopted.run(asked);\n",
        replace: "",
      },
    ],
    test: {
      file: "test/src/state/keys/erase-key.test.ts",
      title: "is erased wherever it is, and nothing else",
    },
  },
  {
    id: "S1092",
    plants: "forget leaves what state adopt keeps of a key in Postgres",
    edits: [
      {
        file: "src/state/postgres/keys/key-keeping.ts",
        find: "a.number = k.number and a.tag = int8send(k.tag)",
        replace: "a.number = k.number and a.tag = int8send(k.tag + 1)",
      },
    ],
    test: {
      file: "test/src/state/keys/erase-key.test.ts",
      title: "is erased wherever it is, and nothing else",
    },
  },
  {
    id: "S1234",
    plants: "run --dry-run sends",
    edits: [
      {
        file: "src/cli/run/run.ts",
        find: "if (options.dryRun === true) throw sends(names);",
        replace: "",
      },
    ],
    test: {
      file: "test/src/cli/plan/plan.test.ts",
      title: "is what a run names that is to be dry",
    },
  },
  {
    id: "S1237",
    plants: "what has another stream may be adopted",
    edits: [
      {
        file: adopt,
        find: "before.stream !== sync.stream || edit?.changed",
        replace: "edit?.changed",
      },
    ],
    test: {
      file: adoptTest,
      title: "is refused where records have another key, or are of another stream",
    },
  },
  {
    id: "S1238",
    plants: "what has another key may be adopted",
    edits: [{ file: adopt, find: " || edit?.changed.includes(key) === true", replace: "" }],
    test: {
      file: adoptTest,
      title: "is refused where records have another key, or are of another stream",
    },
  },
  {
    id: "S1442",
    plants: "a plan of a pull counts a page that is paid for",
    edits: [
      {
        file: `${plans}/pull-plan.ts`,
        find: "if (page !== null) return keptPage.parse(page).walk;",
        replace: "",
      },
    ],
    test: {
      file: "test/src/cli/plan/pull-plan.test.ts",
      title: "goes on where a run stopped, and counts no page that is paid for",
    },
  },
  {
    id: "S1443",
    plants: "a plan of a pull counts by the round of another query",
    edits: [
      {
        file: `${plans}/pull-plan.ts`,
        find: "before?.queryHash === queryHash ? ",
        replace: "queryHash !== undefined ? ",
      },
    ],
    test: {
      file: "test/src/cli/plan/pull-plan.test.ts",
      title: "knows of larger pages, of fewer calls, and nothing of another query",
    },
  },
  {
    id: "S1450",
    plants: "what was adopted before is said to be left to be sent",
    edits: [
      {
        file: `${plans}/adopt-records.ts`,
        find: 'return change.status !== "unchanged";',
        replace: 'return change.status !== "new";',
      },
    ],
    test: {
      file: adoptTest,
      title: "says of what was adopted before that nothing of it is left to be sent",
    },
  },
  {
    id: "S1894",
    plants: "nothing is adopted any more once today's mapping has made a record",
    edits: [
      {
        file: adopt,
        find: "const before = all.find(({ mapping, deployed: last }) => last > 0 && mapping !== now);",
        replace: "const before = deployed.mapping === now ? undefined : all[0];",
      },
    ],
    test: {
      file: adoptTest,
      title: "takes what an older mapping made also where today's has made a few records already",
    },
  },
  {
    id: "S1982",
    plants: "a command that waited for a source reads all of it anew",
    edits: [
      {
        file: "src/cli/running/wait-for-source.ts",
        find: "from = structuredClone(page.position);",
        replace: "void page;",
      },
    ],
    test: {
      file: "test/src/cli/running/wait-for-source.test.ts",
      title: "waits as long as the source asks, says so, and gives no row twice",
    },
  },
];
