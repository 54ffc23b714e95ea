import type { Mutant } from "../mutant.ts";

/** Mutants of pulls: what comes back, and what it costs. */
export const mutantsOfPulls: readonly Mutant[] = [
  {
    id: "M19",
    plants: "the cursor is saved before the write-back",
    edits: [
      {
        file: "activities/pull/pages.ts",
        find: "  const written = await writePage(",
        replace:
          "  await deps.state.setPass({ ...asked.step, pass });\n  const written = await writePage(",
      },
    ],
    test: {
      file: "test/activities/pull/pages.test.ts",
      title: "keeps the cursor only once its page is written",
    },
  },
  {
    id: "M28",
    plants: "a page is fetched again when its write-back failed",
    edits: [
      {
        file: "src/state/store/pull/pull-pages.ts",
        find: "  await setPage(queries, kept, kept.page);\n",
        replace: "",
      },
    ],
    test: {
      file: "test/activities/pull/pages.test.ts",
      title: "does not pay again for a page whose write-back failed",
    },
  },
  {
    id: "S1720",
    plants: "a row that another session removes while a page is written is not made again",
    edits: [
      {
        file: "connectors/postgres/limits.ts",
        find: "export const writeTriesMax = 3;",
        replace: "export const writeTriesMax = 1;",
      },
    ],
    test: {
      file: "test/connectors/postgres/write-tables.test.ts",
      title: "goes by the table as it is once another session",
    },
  },
  {
    id: "S1721",
    plants: "a row that a trigger or a policy kept as it was is called unchanged",
    edits: [
      {
        file: "connectors/postgres/sql/write-statement.ts",
        find: "  when wanted.ordinal in (select ordinal from present where differs) then 'kept'\n",
        replace: "",
      },
    ],
    test: {
      file: "test/connectors/postgres/write-tables.test.ts",
      title: "does not call a row unchanged that a policy kept as it was",
    },
  },
  {
    id: "S1722",
    plants: "a value that only its column takes for the same as the old one is not written",
    edits: [
      {
        file: "connectors/postgres/sql/write-table.ts",
        find: "('json', 'xml', 'interval', 'citext')",
        replace: "('json', 'xml')",
      },
    ],
    test: {
      file: "test/connectors/postgres/write-tables.test.ts",
      title: "replaces a value that only citext takes for the same",
    },
  },
  {
    id: "S1723",
    plants: "a pull into a column that Postgres fills itself pays for a page first",
    edits: [
      {
        file: "connectors/postgres/check-write.ts",
        find: "    await assertTakesValues(session, of);\n",
        replace: "",
      },
    ],
    test: {
      file: "test/connectors/postgres/check-write.test.ts",
      title: "refuses columns that Postgres itself fills, unless they only find rows",
    },
  },
  {
    id: "S1724",
    plants: "one row that a policy refuses keeps its whole page from being written",
    edits: [
      {
        file: "connectors/postgres/sql/write-refusal.ts",
        find: 'error.routine === "ExecWithCheckOptions"',
        replace: "error.routine === undefined",
      },
    ],
    test: {
      file: "test/connectors/postgres/write-tables.test.ts",
      title: "refuses the one row that a policy refuses, and writes the others",
    },
  },
  {
    id: "S1725",
    plants:
      "one row that a trigger refuses in its own words keeps its whole page from being written",
    edits: [
      {
        file: "connectors/postgres/sql/write-refusal.ts",
        find: "if (isOfFunction(error)) {",
        replace: 'if (code === "P0001") {',
      },
    ],
    test: {
      file: "test/connectors/postgres/write-tables.test.ts",
      title: "refuses the one row of which a trigger says",
    },
  },
  {
    id: "S1726",
    plants: "a plan takes the service's pages for as small as the one that `--limit` cut short",
    edits: [
      {
        file: "activities/pull/fetch.ts",
        find: "{ ...after, filledPages, fullest }",
        replace: "{ ...after, filledPages }",
      },
    ],
    test: {
      file: "test/src/cli/plan/pull-plan.test.ts",
      title: "does not take pages for small because a `--limit` cut one short",
    },
  },
  {
    id: "S1727",
    plants:
      "a pull into the table that a sync reads is let be where one of the two quotes its name",
    edits: [
      {
        file: "src/config/feedback-loop.ts",
        find: `.replaceAll('"', "")`,
        replace: "",
      },
    ],
    test: { file: "test/src/config/feedback-loop.test.ts", title: "sees through quotes" },
  },
  {
    id: "S1728",
    plants: "a page that waits to be written is written although the account is another by now",
    edits: [
      {
        file: "activities/pull/open.ts",
        find: "await assertSameAccount(holder, deps.config.api, ofAccount);",
        replace: "await assertSameAccount(holder, deps.config.api, trust);",
      },
    ],
    test: {
      file: "test/activities/pull/open.test.ts",
      title: "writes no page that another key paid for, even where it is the first of its round",
    },
  },
  {
    id: "S1729",
    plants:
      "a sequence that the role may not use is found out by the first page, which is paid for",
    edits: [
      {
        file: "connectors/postgres/check-write.ts",
        find: "    if (config.insert) await assertSequences(session, of);\n",
        replace: "",
      },
    ],
    test: {
      file: "test/connectors/postgres/check-write.test.ts",
      title: "names a sequence that a new row takes a number from, and the grant that lets it",
    },
  },
  {
    id: "S1920",
    plants: "a page that waits in a restored store is written over what was pulled since",
    edits: [
      {
        file: "src/state/sqlite/last-send.ts",
        find: "      forgetPages.run();\n",
        replace: "",
      },
    ],
    test: {
      file: "test/activities/doubt/restored-store.test.ts",
      title: "writes no page that waited in the backup over what was pulled since",
    },
  },
  {
    id: "S1926",
    plants:
      "of a view that is to be written it is said to make an index on it, which Postgres refuses",
    edits: [
      {
        file: "connectors/postgres/sql/write-table.ts",
        find: "select relkind in ('v', 'm') from",
        replace: "select relkind in ('f') from",
      },
    ],
    test: {
      file: "test/connectors/postgres/write-tables.test.ts",
      title: "refuses a view, which no index helps",
    },
  },
  {
    id: "S1927",
    plants: "a type that needs a value is told as the key that needs one",
    edits: [
      {
        file: "connectors/postgres/sql/write-refusal.ts",
        find: 'column === undefined ? "it needs a value" : ',
        replace: "",
      },
    ],
    test: {
      file: "test/connectors/postgres/write-tables.test.ts",
      title: "says of a type that needs a value what it knows, and names no key",
    },
  },
  {
    id: "S1929",
    plants: "domains that are members of members are not found, and nobody hears of it",
    edits: [
      {
        file: "activities/pull/domains.ts",
        find: "domainText(cellOf(row))",
        replace: "domainText(row[column])",
      },
    ],
    test: {
      file: "test/activities/pull/domains.test.ts",
      title: "takes a way into rows of JSON, and warns of one that leads nowhere in any row",
    },
  },
  {
    id: "S1990",
    plants: "a page that waited while its pull had another name is written over newer values",
    edits: [
      {
        file: "src/state/store/pull/pull-pages.ts",
        find: "if (name.target === target && name.pull === pull) continue;",
        replace: "if (name.target === target || name.pull === pull) continue;",
      },
    ],
    test: {
      file: "test/activities/pull/open.test.ts",
      title: "asks again for a page that waited while the pull had another name",
    },
  },
  {
    id: "S1999",
    plants: "another timeout of a connection begins a pull anew, whose pages are paid again",
    edits: [
      {
        file: "src/config/schema/pull.ts",
        find: ".filter(([name]) => !reaching.has(name))",
        replace: '.filter(([name]) => name !== "")',
      },
    ],
    test: {
      file: "test/src/config/schema/pull.test.ts",
      title: "tells another query, another write-back and another ceiling apart",
    },
  },
  {
    id: "S2067",
    plants: "a page is written however long its host slept before",
    edits: [
      {
        file: "activities/pull/write.ts",
        find: "if (ms <= Math.min(leaveMsMax, config.advanced.heartbeatTimeoutMs / 2)) return;",
        replace:
          "if (ms <= Math.min(leaveMsMax, config.advanced.heartbeatTimeoutMs / 2) * ms) return;",
      },
    ],
    test: {
      file: "test/activities/pull/slept-host.test.ts",
      title: "a host that slept writes no page",
    },
  },
];
