import { spawn } from "node:child_process";
import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { describe, expect, it } from "vitest";

import { runEffect } from "../../src/effect.ts";
import type { RunReport } from "../../src/report/report.ts";
import type { Step } from "../../src/sandbox/faults.ts";
import { Journal } from "../support/kill-journal.ts";
import type { KillPoint } from "../support/kill-point.ts";
import { drivePull, type PullDrive } from "../support/kill-pull.ts";
import { crashKey, openWorker } from "../support/kill-worker.ts";
import { watch } from "../support/process.ts";
import { companiesCsv, pullYaml } from "../support/pull-project.ts";
import { SandboxView } from "../support/sandbox-view.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const child = fileURLToPath(new URL("../support/kill-pull-child.ts", import.meta.url));

/** Pulls to be killed: what each calls, how often, and where it writes. */
const lanes = {
  search: { pull: "scores", walks: "search", step: "search", pages: 2, file: "scores.csv" },
  domains: { pull: "hiring", walks: "domains", step: "enrich", pages: 3, file: "jobs.csv" },
} as const satisfies Record<
  string,
  Pick<PullDrive, "pull" | "walks"> & { step: Step; pages: number; file: string }
>;

type Lane = (typeof lanes)[keyof typeof lanes];

const websites = ["amber-analytics.example", "amber-foods.example", "a.example"];

/** How one crash point came out. */
type CrashResult = {
  readonly wasKilled: boolean;
  readonly effects: readonly string[];
  readonly report: RunReport;
  readonly written: string;
  /** Calls that the service counted. */
  readonly paid: number;
  readonly journal: string;
};

/** A pull that is killed again and again, each time in a project of its own at the same service. */
class PullLane {
  readonly #lane: Lane;
  readonly #folder: string;
  readonly #sandbox: SandboxView;
  #crashes = 0;

  private constructor(lane: Lane, folder: string, sandbox: SandboxView) {
    this.#lane = lane;
    this.#folder = folder;
    this.#sandbox = sandbox;
  }

  static async open(lane: Lane): Promise<PullLane> {
    const folder = await temporaryFolder();
    const sandbox = await SandboxView.start(join(folder, "sandbox"));
    await mkdir(join(folder, "project"));
    const yaml = pullYaml().replace("page_size: 10", "page_size: 20");
    await writeFile(join(folder, "project", "sluice.yaml"), yaml);
    await writeFile(join(folder, "project", "companies.csv"), companiesCsv(websites));
    return new PullLane(lane, folder, sandbox);
  }

  async crash(point: KillPoint): Promise<CrashResult> {
    this.#crashes += 1;
    const { pull, walks, step, file } = this.#lane;
    const folder = join(this.#folder, `crash-${this.#crashes}`);
    await cp(join(this.#folder, "project"), folder, { recursive: true });
    const before = (await this.#sandbox.ledger(step)).length;
    const { address } = this.#sandbox;
    const asked = JSON.stringify({ folder, address, pull, walks, point });
    const running = spawn(process.execPath, [child, asked], {
      env: { NODE_COMPILE_CACHE: join(this.#folder, "compile-cache") },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const { code, stderr } = await watch(running).ended;
    if (code !== null && code !== 0) throw new Error(`the worker broke: ${stderr}`);
    const journal = new Journal(join(folder, "journal.jsonl"));
    const { effects } = journal.read();
    const deps = await openWorker({ folder, address, effect: runEffect });
    const report = await drivePull({ pull, walks, runId: "run-1", deps, journal });
    await deps.close();
    const written = await readFile(join(folder, file), "utf8");
    const paid = (await this.#sandbox.ledger(step)).length - before;
    await rm(folder, { recursive: true });
    const text = journal.text();
    return { wasKilled: code === null, effects, report, written, paid, journal: text };
  }
}

/** What the rows of a written file begin with: an id of the service, or the address of a posting. */
function idsOf(written: string): readonly string[] {
  const lines = written.trimEnd().split("\n").slice(1);
  return lines.map((line) => line.split(",")[0] ?? line);
}

/** What is wrong with the end of a run that was killed at `effects`. */
function violationsOf({ effects, ...end }: CrashResult, whole: CrashResult): readonly string[] {
  const { report, written, paid } = end;
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
    // Between a call and the page's being kept nobody can know whether it came.
    [
      again === 0 || ["search", "noteOutcome", "keepPage"].includes(effects.at(-1) ?? ""),
      "paid a kept page twice",
    ],
    [!end.journal.includes(".example") && !end.journal.includes(crashKey), "told Temporal a row"],
    [idsOf(written).every((id) => !end.journal.includes(id)), "told Temporal whose row it is"],
  ];
  const where = `killed at effect ${effects.length}, ${effects.at(-1)}`;
  return checks.flatMap(([isFine, what]) => (isFine ? [] : [`${where}: ${what}`]));
}

// This shows row 44 of the fault table, too: a worker that is killed.
describe.each(Object.entries(lanes))("a pull of %s", (_, settings) => {
  it("loses nothing, writes nothing twice and pays no kept page again, wherever it is killed", async ({
    annotate,
  }) => {
    const lane = await PullLane.open(settings);
    const whole = await lane.crash({ when: "before", number: 0 });
    expect(whole).toMatchObject({ wasKilled: false, paid: settings.pages });
    expect(whole.report).toMatchObject({
      outcome: "done",
      pull: { calls: settings.pages, possibly_paid_twice: 0, repeated: 0 },
    });
    const results: CrashResult[] = [];
    do results.push(await lane.crash({ when: "before", number: results.length + 1 }));
    while (results.at(-1)?.wasKilled === true);
    expect(results.flatMap((result) => violationsOf(result, whole))).toEqual([]);
    expect(results).toHaveLength(whole.effects.length + 1);
    const names = new Set(whole.effects);
    for (const name of ["beginCall", "search", "keepPage", "writeBack", "commitPage"]) {
      expect(names).toContain(name);
    }
    // The harness sees what it is there for.
    expect(results.some(({ paid }) => paid > whole.paid)).toBe(true);
    await annotate(`${whole.effects.length} effects to die at`);
  }, 600_000);
});
