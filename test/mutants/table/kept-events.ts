import type { Mutant } from "../mutant.ts";

/** What leaves the inbox, and what is said of it. */
export const mutantsOfKeptEvents: readonly Mutant[] = [
  {
    id: "S2245",
    plants: "events of a clock that ran ahead are never removed",
    edits: [
      {
        file: "src/inbox/sqlite/backlog.ts",
        find: "place <= $upTo order by place limit ${transactionRowsMax}",
        replace:
          "place <= $upTo and received_at < unixepoch() * 1000 order by place limit ${transactionRowsMax}",
      },
    ],
    test: {
      file: "test/src/inbox/contract.test.ts",
      title: "removes events of a clock that ran ahead, and what comes after them",
    },
  },
  {
    id: "S2247",
    plants: "after a reset a run says that its sync never read what was removed",
    edits: [
      {
        file: "connectors/run-range.ts",
        find: "    from === null ? ",
        replace: "    from === undefined ? ",
      },
    ],
    test: {
      file: "test/activities/inbox-gap.test.ts",
      title: "are not called unread after a reset: they may have been sent",
    },
  },
];
