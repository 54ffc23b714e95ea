import { appendFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, it } from "vitest";
import { z } from "zod";

import { readReplay } from "../../../activities/stage/replay-pages.ts";
import { pullSource } from "../../../connectors/contract/connector.ts";
import { accountsYaml, failureOf, Harness } from "../../support/project/harness.ts";
import { header, ReplayStory, text } from "../../support/project/replay-story.ts";
import { TestRun } from "../../support/project/test-run.ts";
import { collect } from "../../support/sequences.ts";

describe("a replay", () => {
  it("sends what today's mapping makes of the rejected rows, and leaves the checkpoint where it is", async () => {
    const story = await ReplayStory.begin(text);
    await story.fix();
    const report = await story.replay("run-1");
    expect(report).toMatchObject({
      outcome: "done_with_rejects",
      balanced: true,
      counts: { read: 2, sent: 1, unchanged: 0, filtered: 0, rejected: 1 },
      checkpoint: { before: 1, after: 1 },
      reject_reasons: [{ code: "required", example: "accounts.csv:5" }],
    });
    expect(await story.held()).toEqual({ a: "A", b: "B", c: "C" });
    expect(await story.became("run-1")).toEqual({
      "accounts.csv:3": "run-2",
      "accounts.csv:5": "run-2",
    });
    expect(await story.became("run-2")).toEqual({ "accounts.csv:5": null });
    expect(
      await story.harness.state.checkpoint({ target: story.harness.deps.target, sync: "accounts" }),
    ).toMatchObject({ version: 1, runId: "run-1" });
  });

  it("leaves what it sent known, so that the next run does not send it again", async () => {
    const story = await ReplayStory.begin(text.replace("d,,D,\n", ""));
    await story.fix("# fixed");
    await story.replay("run-1");
    const both = text.replace("d,,D,\n", "").replace(/,$/gm, ",x.example");
    await story.harness.write("accounts.csv", both);
    expect((await story.run()).counts).toMatchObject({ read: 3, sent: 2, unchanged: 1 });
  });

  it("takes what was read again no second time, and what it rejected itself", async () => {
    const story = await ReplayStory.begin(text);
    expect((await story.replay("run-1")).counts).toMatchObject({ read: 2, rejected: 2 });
    expect((await story.replay("run-1")).counts).toMatchObject({ read: 0 });
    await story.fix();
    expect((await story.replay("run-2")).counts).toMatchObject({ read: 2, sent: 1, rejected: 1 });
    expect(await story.held()).toEqual({ a: "A", b: "B", c: "C" });
  });

  it("takes those of one reason alone when it is named", async () => {
    const story = await ReplayStory.begin(`${text}e,e.example,E\n`);
    await story.fix();
    const { state } = story.harness;
    expect(await state.replayCounts({ run: "run-1" })).toMatchObject({ open: 3 });
    expect((await story.replay("run-1", "ragged_row")).counts).toMatchObject({ read: 1 });
    expect(await story.became("run-1")).toMatchObject({ "accounts.csv:3": null });
  });

  it("is stopped by neither reject_limit nor min_rows", async () => {
    const limits = ["reject_limit: { rate: 50%, rows: 1 }", "min_rows: 4"];
    const story = await ReplayStory.begin(text.replace("d,,D,\n", "d,d.example,D,\n"), ...limits);
    expect((await story.replay("run-1")).outcome).toBe("done_with_rejects");
    expect((await story.replay("run-2")).counts).toMatchObject({ read: 1, rejected: 1 });
  });

  it("reads more rejects than a page holds, and keeps the order of their rows", async () => {
    const rows = Array.from(
      { length: 2_500 },
      (_, row) => `k${row % 2_400},,N${row},s${row}.example`,
    );
    const story = await ReplayStory.begin(
      [header, ...rows, ""].join("\n"),
      "reject_limit: { rate: 100%, rows: 3000 }",
    );
    await story.fix("chunk: { records: 1000 }");
    const report = await story.replay("run-1");
    expect(report).toMatchObject({ chunks: 3, counts: { read: 2_500, sent: 2_500, filtered: 0 } });
    const names = await story.harness.sandbox.names();
    expect([names.size, names.get("k99"), names.get("k100")]).toEqual([2_400, "N2499", "N100"]);
    expect(await story.harness.state.replayCounts({ run: "run-1" })).toMatchObject({
      open: 0,
      replayed: 2_500,
    });
  });

  it("sends a row that the service refused, once it takes it", async () => {
    const story = await ReplayStory.begin(text.replaceAll(/^[bd].*\n/gm, ""));
    await story.harness.write(
      "accounts.csv",
      `${text}e,e.example,E,\n`.replaceAll(/^[bd].*\n/gm, ""),
    );
    story.refuseNext(0);
    await story.run();
    expect(await story.became("run-2")).toEqual({ "accounts.csv:4": null });
    expect((await story.replay("run-2")).counts).toMatchObject({ read: 1, sent: 1 });
    expect(await story.held()).toEqual({ a: "A", c: "C", e: "E" });
  });

  it("finds the place of a row that the service refuses again", async () => {
    const story = await ReplayStory.begin(text);
    await story.fix();
    story.refuseNext(0);
    await story.replay("run-1");
    const rejects = await story.harness.state.rejects({ runId: "run-2", limit: 10 });
    expect(rejects.map(({ step, place }) => [step, place])).toEqual([
      ["validate", "accounts.csv:5"],
      ["send", "accounts.csv:3"],
    ]);
  });

  it("continues with the rest when an earlier one was given up", async () => {
    const rows = Array.from({ length: 1_500 }, (_, row) => `k${row},,N,s${row}.example`);
    const limit = "reject_limit: { rate: 100%, rows: 3000 }";
    const story = await ReplayStory.begin([header, ...rows, ""].join("\n"), limit);
    await story.fix("chunk: { records: 1000 }");
    const cut = await story.open({ replay: { run: "run-1" } });
    const first = await cut.stage();
    await cut.send(first);
    await cut.commit(first);
    await cut.stage(2);
    await cut.close({ outcome: "cancelled" });
    expect((await story.replay("run-1")).counts).toMatchObject({ read: 500, sent: 500 });
  });
});

describe("a replay out of a file that is another one by now", () => {
  it.each([
    [
      "grew",
      async (file: string) => await appendFile(file, "z,z.example,Z,\n"),
      "the rejects cannot be replayed: accounts.csv is not the file this run began to read",
      "run the sync: it reads the source as it is now",
    ],
    [
      "is gone",
      async (file: string) => await rm(file),
      "the rejects cannot be replayed: accounts.csv does not exist",
      "The folder holds sluice.yaml. Put that right, and replay again.",
    ],
  ])("stops at once when it %s", async (...[, change, message, hint]) => {
    const story = await ReplayStory.begin(text);
    const replaying = await story.open({ replay: { run: "run-1" } });
    await change(join(story.harness.folder, "accounts.csv"));
    expect(await failureOf(replaying.stage())).toMatchObject({
      type: "ConfigError",
      message,
      nonRetryable: true,
      details: [{ hint }],
    });
    await replaying.close({ outcome: "failed" });
    expect(await story.became("run-1")).toMatchObject({ "accounts.csv:3": null });
  });
});

/** Accounts from all CSV files of the folder, which only grow; with these further members. */
function growingYaml(...members: readonly string[]): string {
  const csv = ['path: "*.csv"', "append_only: true", ...members].join(", ");
  return accountsYaml().replace("path: accounts.csv", csv);
}

it("a replay out of a file that only grew until it was replaced says what sends its rows", async () => {
  const yaml = accountsYaml().replace("accounts.csv", "accounts.csv, append_only: true");
  const harness = await Harness.open({ yaml, files: { "accounts.csv": text } });
  await (await TestRun.open(harness)).transfer();
  await harness.write("accounts.csv", text.replace("a,a.example", "z,z.example"));
  const request = { replay: { run: "run-1" } };
  const run = await TestRun.open(harness, { runId: "run-2", request });
  const { details } = await failureOf(run.stage());
  expect(details).toMatchObject([{ hint: "`sluice state reset accounts` sends all of it again" }]);
});

async function renameFirst(folder: string): Promise<void> {
  await rename(join(folder, "a.csv"), join(folder, "new.csv"));
}

describe("a replay out of files that only grow, one of which is gone", () => {
  const then = { "a.csv": text, "b.csv": text.replaceAll(/^(?=[a-d],)/gm, "b") };
  it.each([
    ["was renamed", growingYaml(), renameFirst],
    ["was moved away", growingYaml(), async (folder: string) => await rm(join(folder, "a.csv"))],
    ["is no longer named", growingYaml().replace("*.csv", "b.csv"), async () => undefined],
  ])("does not call its rows gone: it %s", async (_, yaml, change) => {
    const harness = await Harness.open({ yaml: growingYaml(), files: then });
    await (await TestRun.open(harness)).transfer();
    await change(harness.folder);
    const repaired = await harness.withYaml(yaml.replace("domain: domain", "domain: site"));
    const request = { replay: { run: "run-1" } };
    const run = await TestRun.open(repaired, { runId: "run-2", request });
    expect(await run.transfer()).toMatchObject({
      outcome: "done_with_rejects",
      counts: { read: 4, sent: 1, rejected: 3 },
    });
    expect((await harness.sandbox.names()).get("bb")).toBe("B");
    const away = { code: "file_away", reason: "a.csv is no longer among the files" };
    expect((await run.rejects()).filter(({ place }) => place.startsWith("a.csv"))).toMatchObject([
      { place: "a.csv:3", ...away },
      { place: "a.csv:5", ...away },
    ]);
    expect(await harness.state.replayCounts({ run: "run-2" })).toMatchObject({ open: 3 });
  });

  it("sends its rows once it is back, but over no newer one", async () => {
    const files = { ...then, "a.csv": `${text}n,,OLD,n.example\n` };
    const harness = await Harness.open({ yaml: growingYaml(), files });
    await (await TestRun.open(harness)).transfer();
    const repaired = await harness.withYaml(
      growingYaml().replace("domain: domain", "domain: site"),
    );
    const [here, away] = [join(harness.folder, "a.csv"), join(harness.folder, "a.away")];
    await rename(here, away);
    const replay = async (run: string, runId: string): Promise<unknown> =>
      (await (await TestRun.open(repaired, { runId, request: { replay: { run } } })).transfer())
        .counts;
    expect(await replay("run-1", "run-2")).toMatchObject({ read: 5, sent: 1, rejected: 4 });
    await harness.write("c.csv", `${header}\nn,,NEW,n.example\n`);
    await rename(away, here);
    await (await TestRun.open(repaired, { runId: "run-3" })).transfer();
    expect(await replay("run-2", "run-4")).toMatchObject({ read: 4, sent: 1, filtered: 1 });
    const names = await harness.sandbox.names();
    expect([names.get("b"), names.get("n")]).toEqual(["B", "NEW"]);
  });

  it("takes the rows of the others, where none of its rows was rejected", async () => {
    const files = { ...then, "a.csv": `${header}\na,a.example,A,\n` };
    const harness = await Harness.open({ yaml: growingYaml(), files });
    await (await TestRun.open(harness)).transfer();
    await renameFirst(harness.folder);
    const request = { replay: { run: "run-1" } };
    const run = await TestRun.open(harness, { runId: "run-2", request });
    expect((await run.transfer()).counts).toMatchObject({ read: 2, rejected: 2 });
    expect((await run.rejects()).map(({ code }) => code)).toEqual(["required", "required"]);
  });
});

describe("a replay of a line that the reader refused, behind rows of another file", () => {
  it.each([
    ["its encoding is set", Buffer.from("Caf\u00e9 NEW", "latin1"), "encoding: windows-1252"],
    ["quotes are no longer special", Buffer.from('"N"EW'), "quote: false"],
  ])("sends it over the older row of its key once %s", async (_, name, member) => {
    const [older, newer] = [
      [header, "b,b.example,B,", "k,k.example,OLD,", ""],
      [header, "k,k.example,"],
    ];
    const files = {
      "a.csv": older.join("\n"),
      "b.csv": Buffer.concat([Buffer.from(newer.join("\n")), name, Buffer.from(",\n")]),
    };
    const harness = await Harness.open({ yaml: growingYaml(), files });
    expect((await (await TestRun.open(harness)).transfer()).counts).toMatchObject({ rejected: 1 });
    const repaired = await harness.withYaml(growingYaml(member));
    const request = { replay: { run: "run-1" } };
    const run = await TestRun.open(repaired, { runId: "run-2", request });
    expect((await run.transfer()).counts).toMatchObject({ read: 1, sent: 1, filtered: 0 });
    expect((await harness.sandbox.names()).get("k")).toBe(name.toString("latin1"));
  });
});

describe("a replay out of a file that only grows, whose path is written otherwise now", () => {
  it.each(["./accounts.csv", "././accounts.csv"])(
    "keeps the order of its rows: %s",
    async (path) => {
      const yaml = accountsYaml().replace("accounts.csv", "accounts.csv, append_only: true");
      const lines = [
        header,
        "a,,A,a.example",
        "k,k.example,OLD,k.example",
        "k,,NEW,k.example",
        "b,,B,b.example",
        "b,b.example,NEWER,b.example",
        "",
      ];
      const harness = await Harness.open({ yaml, files: { "accounts.csv": lines.join("\n") } });
      await (await TestRun.open(harness)).transfer();
      const fixed = yaml
        .replace("path: accounts.csv", `path: ${path}`)
        .replace("domain: domain", "domain: site");
      const request = { replay: { run: "run-1" } };
      const run = await TestRun.open(await harness.withYaml(fixed), { runId: "run-2", request });
      expect((await run.transfer()).counts).toMatchObject({ read: 3, sent: 2, filtered: 1 });
      const names = Object.fromEntries(await harness.sandbox.names());
      expect(names).toEqual({ a: "A", k: "NEW", b: "NEWER" });
      const counts = await harness.state.replayCounts({ run: "run-1" });
      expect(counts).toMatchObject({ open: 0, replayed: 2, superseded: 1 });
    },
  );
});

it("a replay takes nothing from a source that names its rows in another way than before", async () => {
  const source = pullSource({
    name: "books",
    config: z.unknown(),
    position: z.number(),
    async *read() {},
    get: async ({ names }) => ({
      rows: names.map((id) => ({ id })),
      where: (index) => `books:${names[index]}`,
      missing: [],
    }),
  });
  const listed = { places: ["7", "8"], last: 2, ages: [1, 2], from: null, to: null };
  const state = { replayPage: async () => listed };
  const log = { info: () => undefined, warn: () => undefined };
  const { signal } = new AbortController();
  const what = { runId: "run-1", sync: "a", stream: "account", config: {}, after: 0 } as const;
  const reading = collect(readReplay(what, { source, state, signal, log }));
  await expect(reading).rejects.toThrow("the source names its rows in another way now");
});
