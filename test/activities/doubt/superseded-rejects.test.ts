import { rename } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { accountsYaml } from "../../support/project/harness.ts";
import { header, ReplayStory, text } from "../../support/project/replay-story.ts";

describe("a replay of rows whose keys came again", () => {
  const later = text.replace("b,,B,b.example", "b,b.example,newer,");

  it("leaves out what is superseded, and says so", async () => {
    const story = await ReplayStory.begin(`${text}e,,E,e.example\n`, "# first");
    await rename(join(story.harness.folder, "accounts.csv"), join(story.harness.folder, "old.csv"));
    await story.harness.write("accounts.csv", later);
    await story.run();
    expect(await story.held()).toMatchObject({ b: "newer" });
    await rename(join(story.harness.folder, "old.csv"), join(story.harness.folder, "accounts.csv"));
    await story.fix();
    const report = await story.replay("run-1");
    expect(report.counts).toEqual({ read: 3, sent: 1, unchanged: 0, filtered: 1, rejected: 1 });
    expect(report.warnings.join()).toContain("1 rejected row was left out");
    expect(await story.held()).toEqual({ a: "A", b: "newer", c: "C", e: "E" });
    expect(await story.became("run-1")).toEqual({
      "accounts.csv:3": "superseded by run-3",
      "accounts.csv:5": "run-3",
      "accounts.csv:6": "run-3",
    });
    expect(await story.harness.state.replayCounts({ run: "run-1" })).toEqual({
      open: 0,
      replayed: 2,
      superseded: 1,
      uncommitted: 0,
    });
  });

  it("sends a row although a later one was staged and given up: that one comes again", async () => {
    const story = await ReplayStory.begin(text);
    await rename(join(story.harness.folder, "accounts.csv"), join(story.harness.folder, "old.csv"));
    await story.harness.write("accounts.csv", later);
    const cut = await story.open();
    await cut.stage();
    await cut.close({ outcome: "failed" });
    await rename(join(story.harness.folder, "old.csv"), join(story.harness.folder, "accounts.csv"));
    await story.fix();
    expect((await story.replay("run-1")).counts).toMatchObject({ sent: 1, filtered: 0 });
  });
});

describe("a replay of two rows of one key", () => {
  const twice = [header, "b,,older,", "b,,newer,x.example", ""].join("\n");

  it("sends both in order when both are valid now", async () => {
    const story = await ReplayStory.begin(twice.replace("older,", "older,w.example"));
    await story.fix();
    expect((await story.replay("run-1")).counts).toMatchObject({ sent: 2, filtered: 0 });
    expect(await story.held()).toEqual({ b: "newer" });
  });

  it("lets the later one win that is fixed after the earlier one", async () => {
    const story = await ReplayStory.begin(
      twice.replace("older,", "older,w.example").replace("newer,x.example", "newer,"),
    );
    await story.fix();
    expect((await story.replay("run-1")).counts).toMatchObject({ sent: 1, rejected: 1 });
    story.harness = await story.harness.withYaml(
      accountsYaml().replace("domain: domain", "domain: { value: fixed.example }"),
    );
    expect((await story.replay("run-2")).counts).toMatchObject({ sent: 1, filtered: 0 });
    expect(await story.held()).toEqual({ b: "newer" });
  });

  it("lets the earlier one be that is fixed after the later one", async () => {
    const story = await ReplayStory.begin(twice);
    await story.fix();
    expect((await story.replay("run-1")).counts).toMatchObject({ sent: 1, rejected: 1 });
    story.harness = await story.harness.withYaml(
      accountsYaml().replace("domain: domain", "domain: { value: fixed.example }"),
    );
    await story.replay("run-2");
    expect(await story.held()).toEqual({ b: "newer" });
  });
});

describe("a replay of a row that was seen unchanged since", () => {
  it("does not bring back what the source took back", async () => {
    const story = await ReplayStory.begin(text.replace("b,,B,b.example", "b,b.example,B,"));
    const old = join(story.harness.folder, "old.csv");
    const now = join(story.harness.folder, "accounts.csv");
    await rename(now, old);
    await story.harness.write("accounts.csv", text.replace("b,,B,", "b,,taken back,"));
    await story.run();
    const refused = join(story.harness.folder, "refused.csv");
    await rename(now, refused);
    await rename(old, now);
    expect((await story.run()).counts).toMatchObject({ sent: 0, unchanged: 3 });
    await rename(refused, now);
    await story.fix();
    expect((await story.replay("run-2")).counts).toMatchObject({ sent: 0, filtered: 1 });
    expect(await story.held()).toMatchObject({ b: "B" });
  });
});
