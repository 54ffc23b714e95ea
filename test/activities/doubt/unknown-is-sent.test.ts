import { describe, expect, it } from "vitest";

import type { RunRequest } from "../../../src/state/contract/runs/runs.ts";
import { accountsYaml, Harness } from "../../support/project/harness.ts";
import { TestRun } from "../../support/project/test-run.ts";

/** One account of this name, and one that never changes. */
function csvOf(name: string): string {
  return `id,domain,name\na,a.example,${name}\nsteady,s.example,steady\n`;
}

/** Runs over changing files of one project. */
class Story {
  readonly #harness: Harness;
  #runs = 0;

  private constructor(harness: Harness) {
    this.#harness = harness;
  }

  /** A project whose service holds A. */
  static async begin(...sync: readonly string[]): Promise<Story> {
    const files = { "accounts.csv": csvOf("A") };
    const story = new Story(await Harness.open({ yaml: accountsYaml(...sync), files }));
    await (await story.open("A")).transfer();
    return story;
  }

  async open(name: string, request: RunRequest = {}): Promise<TestRun> {
    this.#runs += 1;
    await this.#harness.write("accounts.csv", csvOf(name));
    return await TestRun.open(this.#harness, { runId: `run-${this.#runs}`, request });
  }

  /** What a whole run over this name sends and leaves out. */
  async sends(name: string, request: RunRequest = {}): Promise<unknown> {
    const { counts } = await (await this.open(name, request)).transfer();
    return { sent: counts.sent, unchanged: counts.unchanged };
  }

  pass(ms: number): void {
    this.#harness.clock.nowMs += ms;
  }

  async held(): Promise<unknown> {
    return (await this.#harness.sandbox.names()).get("a");
  }
}

const one = { sent: 1, unchanged: 1 };
const none = { sent: 0, unchanged: 2 };
const both = { sent: 2, unchanged: 0 };

describe("what is unchanged", () => {
  it("is not sent again, and what has changed is", async () => {
    const story = await Story.begin();
    expect(await story.sends("A")).toEqual(none);
    expect(await story.sends("B")).toEqual(one);
    expect(await story.held()).toBe("B");
    expect(await story.sends("B")).toEqual(none);
  });

  it.each(["body", "file"] as const)(
    "is never a value that came back while another was in flight as a %s: A, B, A ends as A",
    async (form) => {
      const story = await Story.begin();
      const lost = await story.open("B");
      await lost.send(await lost.stage(), form);
      expect(await story.held()).toBe("B");
      // The service holds B, and no process survived to record that.
      expect(await lost.close({ outcome: "failed" })).toMatchObject({ possibly_repeated: 1 });
      expect(await story.sends("A")).toEqual(one);
      expect(await story.held()).toBe("A");
      expect(await story.sends("A")).toEqual(none);
    },
  );

  it("is a value whose rival was staged and never left: the service holds it as before", async () => {
    const story = await Story.begin();
    const lost = await story.open("B");
    await lost.stage();
    await lost.close({ outcome: "cancelled" });
    expect(await story.sends("A")).toEqual(none);
    expect(await story.held()).toBe("A");
    expect(await story.sends("B")).toEqual(one);
    expect(await story.held()).toBe("B");
  });

  it("is not a value that was staged and never committed", async () => {
    const story = await Story.begin();
    const lost = await story.open("B");
    await lost.stage();
    await lost.close({ outcome: "failed" });
    expect(await story.sends("B")).toEqual(one);
    expect(await story.held()).toBe("B");
  });

  it("is sent all the same by a full run, which writes it down", async () => {
    const story = await Story.begin();
    expect(await story.sends("B", { full: true })).toEqual(both);
    expect(await story.sends("B")).toEqual(none);
  });

  it("is forgotten as a whole by a sync that sends all", async () => {
    const story = await Story.begin("send: all");
    expect(await story.sends("A")).toEqual(both);
    expect(await story.sends("A")).toEqual(both);
  });

  it("is sent again once it is older than `resend_after`", async () => {
    const story = await Story.begin("resend_after: 30d");
    story.pass(30 * 86_400_000);
    const young = await story.open("A");
    expect(await young.stage()).toMatchObject({ records: 0 });
    await young.close({ outcome: "cancelled" });
    story.pass(1);
    expect(await (await story.open("A")).stage()).toMatchObject({ records: 2 });
  });
});
