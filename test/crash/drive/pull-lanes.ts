import { readFile } from "node:fs/promises";
import { join } from "node:path";

import type { RunReport } from "../../../src/report/report.ts";
import { readService } from "../../support/ledger/view.ts";
import { differs } from "../../support/ledger/words.ts";
import { companiesCsv, pullYaml } from "../../support/project/pull-project.ts";
import { absentFrom, type CrashTest } from "../crash-test.ts";
import type { Death, Successor } from "./lane.ts";
import { crashKey } from "./worker.ts";

/** The result of a finished pull. */
type Pulled = {
  readonly report: RunReport;
  /** The file that it wrote. */
  readonly written: string;
  /** Calls that the service counted. */
  readonly paid: number;
  /** What Temporal would keep. */
  readonly kept: string;
};

/** A pull to be killed: which call it makes, how often, and where it writes. */
type PullLane = {
  readonly pull: string;
  readonly reads: "domains" | "search";
  readonly step: "enrich" | "search";
  readonly pages: number;
  readonly file: string;
};

const websites = ["amber-analytics.example", "amber-foods.example", "a.example"];

const files = {
  "sluice.yaml": pullYaml().replace("page_size: 10", "page_size: 20"),
  "companies.csv": companiesCsv(websites),
};

/** The first cell of each row of a written file: an id of the service, or the address of a posting. */
function idsOf(written: string): readonly string[] {
  const lines = written.trimEnd().split("\n").slice(1);
  return lines.map((line) => line.split(",")[0] ?? line);
}

function violationsOf(
  { effects, found: { report, written, paid, kept } }: Death<Pulled>,
  { found: whole }: Death<Pulled>,
): readonly string[] {
  const twice = report.pull?.possibly_paid_twice ?? 0;
  const again = paid - whole.paid;
  const checks: readonly (readonly [boolean, string])[] = [
    [report.outcome === "done" && report.balanced, `ended as ${report.outcome}`],
    [report.counts.read === whole.report.counts.read, `read ${report.counts.read}`],
    [report.pull?.finished === true, "did not finish"],
    [report.pull?.repeated === 0, "counted results twice"],
    [written === whole.written, "left another file"],
    [again <= twice, `paid ${again} pages twice and admits ${twice}`],
    [twice <= 1, `admits ${twice} pages`],
    // Between a call and the moment the page is kept, nobody can know whether it came.
    [
      again === 0 || ["search", "noteLimit", "keepPage"].includes(effects.at(-1) ?? ""),
      "paid a kept page twice",
    ],
    [!kept.includes(".example") && !kept.includes(crashKey), "told Temporal a row"],
    [idsOf(written).every((id) => !kept.includes(id)), "told Temporal whose row it is"],
  ];
  return checks.flatMap(([isFine, what]) => (isFine ? [] : [what]));
}

function testOf({ pull, reads, step, pages, file }: PullLane): CrashTest<Pulled> {
  const finish = async ({ address, folder, journal, drive }: Successor): Promise<Pulled> => {
    const report = await drive();
    const { ledger } = await readService(address);
    const paid = ledger.filter((entry) => entry.step === step).length;
    const written = await readFile(join(folder, file), "utf8");
    return { report, written, paid, kept: journal.text() };
  };
  return {
    plan: async () => ({ run: { kind: "pull", pull, reads }, files, finish }),
    violationsOf,
    missingOf: (deaths, { effects, found: { paid, report } }) => [
      ...differs("calls of the run that nothing killed", paid, pages),
      ...differs("calls that it reports", report.pull?.calls, pages),
      ...differs(
        "calls that it reports as possibly paid twice",
        report.pull?.possibly_paid_twice,
        0,
      ),
      ...absentFrom(effects, ["beginCall", "search", "keepPage", "writeBack", "commitPage"]),
      // The harness can see double payments, which is its purpose.
      ...(deaths.some(({ found }) => found.paid > paid) ? [] : ["no page is paid for twice"]),
    ],
  };
}

/** Pulls to be killed. */
export const pulls = {
  search: testOf({ pull: "scores", reads: "search", step: "search", pages: 2, file: "scores.csv" }),
  domains: testOf({ pull: "hiring", reads: "domains", step: "enrich", pages: 3, file: "jobs.csv" }),
};
