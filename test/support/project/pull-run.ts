import type { HostActivities, SharedActivities } from "../../../activities/index.ts";
import type { CloseRunInput } from "../../../activities/inputs.ts";
import type { OpenedPull, OpenPullInput, PulledPages } from "../../../activities/pull/inputs.ts";
import type { RunReport } from "../../../src/report/report.ts";
import type { StoredReject } from "../../../src/state/contract/rejects/rejects.ts";
import type { Harness } from "./harness.ts";

/** One run of a pull, driven activity by activity: like the workflow, without Temporal and one step at a time. */
export class PullRun {
  readonly harness: Harness;
  readonly opened: OpenedPull;

  private constructor(harness: Harness, opened: OpenedPull) {
    this.harness = harness;
    this.opened = opened;
  }

  static async open(
    harness: Harness,
    asked: Partial<Pick<OpenPullInput, "pull" | "request">> & {
      readonly reads?: OpenPullInput["walks"];
      readonly runId?: string;
    } = {},
  ): Promise<PullRun> {
    const { runId = "run-1", pull = "scores", reads = "search", request = {} } = asked;
    const workflow = { workflowId: `wf-${runId}`, firstRunId: `first-${runId}` };
    const input = { pull, walks: reads, runId, ...workflow, request };
    const opened = await harness.perform(harness.activities.openPull, input);
    return new PullRun(harness, opened);
  }

  async listDomains(): Promise<void> {
    await this.harness.perform(this.harness.activities.listDomains, this.opened);
  }

  /** One attempt of `pullPages`; `activities` replaces some of the activities' dependencies. */
  async pull(
    pagesMax = 1,
    { pullPages }: HostActivities & SharedActivities = this.harness.activities,
  ): Promise<PulledPages> {
    return await this.harness.perform(pullPages, { ...this.opened, pagesMax });
  }

  async close(closing: Omit<CloseRunInput, "runId"> = { outcome: "done" }): Promise<RunReport> {
    const { runId } = this.opened;
    const { harness } = this;
    const report = await harness.perform(harness.activities.closeRun, { runId, ...closing });
    if (report === null) throw new Error(`run ${runId} is not in the store`);
    return report;
  }

  /** Pulls until there is nothing more to do, then closes. */
  async finish(): Promise<RunReport> {
    while ((await this.pull()).end === null);
    return await this.close();
  }

  async rejects(): Promise<StoredReject[]> {
    return await this.harness.state.rejects({ runId: this.opened.runId, limit: 1_000 });
  }
}
