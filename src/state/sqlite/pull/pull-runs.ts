import {
  type PullAmounts,
  amounts,
  type PullRuns,
  pullTallyRow,
} from "../../contract/pull/pull-runs.ts";
import type { Database } from "../database.ts";
import { count, first } from "../database.ts";

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
    pullTally: ({ runId }) => first(pullTallyRow, select, { runId }),
  };
}
