import { z } from "zod";

import type { Database } from "./database.ts";
import { count, first } from "./database.ts";

/** What became of results: read = written + unchanged + missing + rejected. */
export type PageCounts = {
  /** Results that came and domains that were refused: whatever the service answered. */
  readonly read: number;
  readonly written: number;
  readonly unchanged: number;
  /** Results without a row, where none may be made. */
  readonly missing: number;
};

const amounts = z.object({
  read: z.int(),
  written: z.int(),
  unchanged: z.int(),
  missing: z.int(),
  /** The results alone. */
  results: z.int(),
  /** Results, domains and rows that were refused. */
  refused: z.int(),
  pages: z.int(),
  calls: z.int(),
  possiblyPaidTwice: z.int(),
  /** Results that had come before in the same round. */
  repeated: z.int(),
  domainsDone: z.int(),
  domainsRefused: z.int(),
  /** 1 once the run has ended the round. */
  roundsDone: z.int(),
});

/** What a run of a pull adds up. */
export type PullAmounts = Readonly<z.output<typeof amounts>>;

const tallyRow = amounts.extend({
  /** Whether the run continued with the round of one before. */
  isContinued: z.int().transform(Boolean),
  /** Rows of the reject store: the other side of `refused`. */
  rejected: z.int(),
  /** Domains of the round. */
  domains: z.int(),
});

/** What the store itself says of a run of a pull. */
export type PullTally = Readonly<z.output<typeof tallyRow>>;

/** The sums behind a pull's report. */
export interface PullTallyStore {
  /** Undefined when the run never began its pull. */
  pullTally(input: { readonly runId: string }): PullTally | undefined;
}

/** What runs of pulls add up; every call but `pullTally` belongs into a transaction. */
export type PullRuns = PullTallyStore & {
  open(input: { readonly runId: string; readonly isContinued: boolean }): void;
  /** Sets the number of domains of the round. */
  setDomains(runId: string, domains: number): void;
  add(runId: string, added: Partial<PullAmounts>): void;
  /** Calls that the run has made. */
  calls(runId: string): number;
};

const columns = {
  read: "read",
  written: "written",
  unchanged: "unchanged",
  missing: "missing",
  results: "results",
  refused: "refused",
  pages: "pages",
  calls: "calls",
  possiblyPaidTwice: "paid_twice",
  repeated: "repeated",
  domainsDone: "domains_done",
  domainsRefused: "domains_refused",
  roundsDone: "rounds_done",
} as const satisfies Record<keyof PullAmounts, string>;

const nothing: PullAmounts = amounts.parse(
  Object.fromEntries(Object.keys(columns).map((name) => [name, 0])),
);

/** The runs of pulls of a SQLite store. */
export function createPullRuns(db: Database): PullRuns {
  const entries = Object.entries(columns);
  const open = db.prepare(
    "insert or ignore into pull_runs (run_id, is_continued) values ($runId, $isContinued)",
  );
  const add = db.prepare(
    `update pull_runs set ${entries.map(([name, column]) => `${column} = ${column} + $${name}`).join(", ")}
     where run_id = $runId`,
  );
  const setDomains = db.prepare("update pull_runs set domains = $domains where run_id = $runId");
  const calls = db.prepare("select calls from pull_runs where run_id = $runId");
  const select = db.prepare(
    `select ${entries.map(([name, column]) => `${column} as ${name}`).join(", ")}, is_continued as isContinued,
       domains, (select count(*) from rejects where run_id = $runId) as rejected
     from pull_runs where run_id = $runId`,
  );
  return {
    open: ({ runId, isContinued }) => void open.run({ runId, isContinued: Number(isContinued) }),
    setDomains: (runId, domains) => void setDomains.run({ runId, domains }),
    add: (runId, added) => void add.run({ runId, ...nothing, ...added }),
    calls: (runId) => count(calls, { runId }),
    pullTally: ({ runId }) => first(tallyRow, select, { runId }),
  };
}
