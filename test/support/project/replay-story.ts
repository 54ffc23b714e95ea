import type { RunReport } from "../../../src/report/report.ts";
import type { RunRequest } from "../../../src/state/contract/runs/runs.ts";
import { accountsYaml, Harness } from "./harness.ts";
import { TestRun } from "./test-run.ts";

/** The header line of the files of these stories. */
export const header = "id,domain,name,site";
/** Accounts, of which b and d have their domain in the wrong column. */
export const text = [
  header,
  "a,a.example,A,",
  "b,,B,b.example",
  "c,c.example,C,",
  "d,,D,",
  "",
].join("\n");

/** Like `accountsYaml`, with the domain from another column. */
function fixed(...sync: readonly string[]): string {
  return accountsYaml(...sync).replace("domain: domain", "domain: site");
}

/** Runs of one project whose mapping is fixed along the way. */
export class ReplayStory {
  harness: Harness;
  #runs = 0;

  private constructor(harness: Harness) {
    this.harness = harness;
  }

  /** A project whose first run, `run-1`, has ended. */
  static async begin(csv: string, ...sync: readonly string[]): Promise<ReplayStory> {
    const yaml = accountsYaml(...sync);
    const story = new ReplayStory(await Harness.open({ yaml, files: { "accounts.csv": csv } }));
    await story.run();
    return story;
  }

  async open(request: RunRequest = {}): Promise<TestRun> {
    this.#runs += 1;
    return await TestRun.open(this.harness, { runId: `run-${this.#runs}`, request });
  }

  async run(): Promise<RunReport> {
    return await (await this.open()).transfer();
  }

  async replay(run: string, code?: string): Promise<RunReport> {
    return await (await this.open({ replay: { run, code } })).transfer();
  }

  async fix(...sync: readonly string[]): Promise<void> {
    this.harness = await this.harness.withYaml(fixed(...sync));
  }

  /** Makes the service refuse the record at this index in the next file. */
  refuseNext(index: number): void {
    this.harness.sandbox.refuse("confirm-upload", [index]);
  }

  async held(): Promise<object> {
    return Object.fromEntries(await this.harness.sandbox.names());
  }

  /** What became of the rejects of a run, by place. */
  async became(runId: string): Promise<object> {
    const rejects = await this.harness.state.rejects({ runId, limit: 1_000 });
    return Object.fromEntries(
      rejects.map(({ place, replayedBy, superseded }) => [
        place,
        superseded ? `superseded by ${replayedBy}` : replayedBy,
      ]),
    );
  }
}
