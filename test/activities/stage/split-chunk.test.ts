import { rm } from "node:fs/promises";

import { describe, expect, it } from "vitest";

import { pageStartsFile, stagedFile } from "../../../src/staging/folder.ts";
import {
  accountsCsv,
  accountsYaml,
  dyingAt,
  failureOf,
  Harness,
} from "../../support/project/harness.ts";
import {
  csvWithBroken,
  rows,
  runOver,
  stagedRun,
  TestRun,
} from "../../support/project/test-run.ts";
import { numbers } from "../../support/sequences.ts";
import { someOf } from "../../support/trials.ts";

const forms = ["body", "file"] as const;

type Form = (typeof forms)[number];

const steps = { body: "upload-json", file: "confirm-upload" } as const;

/** Makes the service refuse what is sent next, naming records by their indices in it, or none. */
function refuse({ harness }: TestRun, form: Form, named: readonly number[]): void {
  harness.sandbox.refuse(steps[form], named);
}

async function keysTaken({ harness }: TestRun): Promise<string[]> {
  return [...(await harness.sandbox.names()).keys()].toSorted((a, b) => a.localeCompare(b));
}

describe.each(someOf(forms, 2))("splitChunk of a %s", (form) => {
  it("rejects the records named, each with its place, row and field, and sends the rest", async () => {
    const { run } = await stagedRun();
    refuse(run, form, [1, 3]);
    expect(await run.transfer(form)).toMatchObject({
      outcome: "done_with_rejects",
      balanced: true,
      counts: { read: rows, sent: 3, rejected: 2 },
      possibly_repeated: 0,
      reject_reasons: [{ code: "refused_by_service", count: 2, example: "accounts.csv:3" }],
    });
    expect(await keysTaken(run)).toEqual(["a0", "a2", "a4"]);
    expect(await run.rejects()).toMatchObject([
      { place: "accounts.csv:3", key: "a1", step: "send", field: "domain" },
      { place: "accounts.csv:5", key: "a3", step: "send", code: "refused_by_service" },
    ]);
    const [first] = await run.rejects();
    expect(first?.row).toBe('{"id":"a1","domain":"c1.example","name":"name 1"}');
  });

  it("names indices of a part that was split before by their own part", async () => {
    const { run } = await stagedRun();
    refuse(run, form, [0]);
    refuse(run, form, [0, 2]);
    await run.transfer(form);
    expect(await keysTaken(run)).toEqual(["a2", "a4"]);
    expect((await run.rejects()).map(({ key }) => key)).toEqual(["a0", "a1", "a3"]);
  });

  it("halves what is refused without a name, down to the one record", async () => {
    const { run } = await stagedRun();
    // a0…a4, a0…a2, a0 and a1, a0: the service refuses a0.
    for (const _ of numbers(4)) refuse(run, form, []);
    expect(await run.transfer(form)).toMatchObject({
      outcome: "done_with_rejects",
      balanced: true,
      counts: { read: rows, sent: 4, rejected: 1 },
    });
    expect(await keysTaken(run)).toEqual(["a1", "a2", "a3", "a4"]);
    expect(await run.rejects()).toMatchObject([
      { place: "accounts.csv:2", key: "a0", code: "refused_by_service", field: null },
    ]);
  });

  it("rejects a whole chunk of which every record is named, and commits it", async () => {
    const { run } = await stagedRun();
    refuse(run, form, numbers(rows));
    expect(await run.transfer(form)).toMatchObject({
      balanced: true,
      counts: { read: rows, sent: 0, rejected: rows },
      checkpoint: { before: 0, after: 1 },
    });
    expect(await keysTaken(run)).toEqual([]);
  });

  it("finds the places of records after the first page, past rows that were left out", async () => {
    const run = await runOver(csvWithBroken(2_500, [0, 1_200]));
    const chunk = await run.stage();
    // Record 0 is row 1, and record 1,499 is row 1,501: two rows before it were rejected.
    const how = { without: [{ index: 0 }, { index: 1_499 }] };
    await firstAttempt(run, form, chunk);
    await run.split(run.part(chunk), how);
    const places = (await run.rejects()).filter(({ step }) => step === "send");
    expect(places.map(({ place, key }) => [place, key])).toEqual([
      ["accounts.csv:3", "a1"],
      ["accounts.csv:1503", "a1501"],
    ]);
  });

  it("names of rows with one key the one whose record was refused", async () => {
    const first = "id,domain,name\na0,one.example,HELD\n";
    const harness = await Harness.open({
      yaml: accountsYaml("duplicate_keys: send"),
      files: { "accounts.csv": first },
    });
    await (await TestRun.open(harness)).transfer(form);
    // Rows that leave no line: the first is unchanged, the next does not pass validation.
    await harness.write(
      "accounts.csv",
      `${first}a0,,INVALID\na0,two.example,NEW\na0,one.example,HELD\n`,
    );
    const run = await TestRun.open(harness, { runId: "run-2" });
    refuse(run, form, [0, 1]);
    expect(await run.transfer(form)).toMatchObject({
      balanced: true,
      counts: { read: 4, unchanged: 1, rejected: 3, sent: 0 },
    });
    const refused = (await run.rejects()).filter(({ step }) => step === "send");
    expect(refused).toMatchObject([
      { place: "accounts.csv:4", row: '{"id":"a0","domain":"two.example","name":"NEW"}' },
      { place: "accounts.csv:5", row: '{"id":"a0","domain":"one.example","name":"HELD"}' },
    ]);
  });

  it("names of equal rows the one whose record was refused", async () => {
    const run = await runOver(`${accountsCsv(1)}${accountsCsv(1).split("\n")[1]}\n`, {
      sync: ["send: all"],
    });
    refuse(run, form, [1]);
    await run.transfer(form);
    expect((await run.rejects()).map(({ place }) => place)).toEqual(["accounts.csv:3"]);
  });

  it("keeps a reject without its line when the source has changed since", async () => {
    const { run, chunk } = await stagedRun();
    await firstAttempt(run, form, chunk);
    await run.harness.write("accounts.csv", "id,domain,name\n");
    await run.split(run.part(chunk), { without: [{ index: 0 }] });
    expect(await run.rejects()).toMatchObject([
      { place: "chunk 1, record 1", key: "a0", row: null },
    ]);
  });

  it("keeps rejects without their lines when nobody knows where the pages began", async () => {
    const { run, chunk } = await stagedRun();
    await firstAttempt(run, form, chunk);
    const { harness, opened } = run;
    const staged = stagedFile(harness.deps.stagingFolder, { ...opened, ...chunk });
    await rm(pageStartsFile(staged));
    await run.split(run.part(chunk), { without: [{ index: 3 }, { index: 0 }] });
    expect(await run.rejects()).toMatchObject([
      { place: "chunk 1, record 1", key: "a0", row: null },
      { place: "chunk 1, record 4", key: "a3", row: null },
    ]);
  });

  it("stops once the run has more rejects than its limit allows, and tells which", async () => {
    const { run, chunk } = await stagedRun("reject_limit: { rate: 20%, rows: 1 }");
    await firstAttempt(run, form, chunk);
    const part = run.part(chunk);
    const two = { without: [{ index: 0 }, { index: 1 }] };
    expect(await failureOf(run.split(part, two))).toMatchObject({ type: "TooManyRejects" });
    expect((await run.rejects()).map(({ key }) => key)).toEqual(["a0", "a1"]);
    // An attempt that did not receive the error stops as well.
    expect(await failureOf(run.split(part, two))).toMatchObject({ type: "ContractBroken" });
  });

  it("sends a refused record again in the next run, because the service does not hold it", async () => {
    const { run } = await stagedRun();
    refuse(run, form, [1]);
    await run.transfer(form);
    const next = await TestRun.open(run.harness, { runId: "run-2" });
    expect(await next.transfer(form)).toMatchObject({ counts: { sent: 1, unchanged: 4 } });
    expect(await keysTaken(run)).toHaveLength(rows);
  });

  it("gives the same parts and rejects once when it runs twice", async () => {
    const { run, chunk } = await stagedRun();
    const part = run.part(chunk);
    await firstAttempt(run, form, chunk);
    const how = { without: [{ index: 0, field: "domain" }] };
    const first = await run.split(part, how);
    expect(await run.split(part, how)).toEqual(first);
    expect(await run.rejects()).toHaveLength(1);
    await run.attemptPart(run.part(chunk, first[0]), form);
    await run.commit(chunk);
    expect(await run.close()).toMatchObject({ balanced: true, counts: { sent: rows - 1 } });
  });

  it("splits anew after an attempt that died with its files made", async () => {
    const { run, chunk } = await stagedRun();
    const { harness } = run;
    await firstAttempt(run, form, chunk);
    const { splitChunk } = harness.activitiesWith(dyingAt(harness, "splitPart"));
    const input = { ...run.part(chunk), how: { without: [{ index: 0 }] } };
    expect(await failureOf(harness.perform(splitChunk, input))).toMatchObject({
      type: "Unavailable",
    });
    const { parts } = await harness.perform(splitChunk, input, { attempt: 2 });
    expect(await run.attemptPart(run.part(chunk, parts[0]), form)).toBeUndefined();
    await run.commit(chunk);
    expect(await run.close()).toMatchObject({ balanced: true, counts: { sent: rows - 1 } });
    expect(await keysTaken(run)).toEqual(["a1", "a2", "a3", "a4"]);
  });

  it("rejects no good neighbour when the service counts from 1", async () => {
    const { run } = await stagedRun();
    // It refuses a2: record 3 of a0…a4, record 3 of a0…a2, and record 1 of a2.
    for (const [after, named] of [
      [0, 3],
      [1, 3],
      [3, 1],
    ] as const) {
      const loc = form === "body" ? ["body", "data", named] : ["file", named];
      const detail = [{ loc, msg: "bad", type: "value_error" }];
      run.harness.sandbox.order(steps[form], { status: 422, body: { detail } }, { after });
    }
    expect(await run.transfer(form)).toMatchObject({
      balanced: true,
      counts: { read: rows, sent: 4, rejected: 1 },
    });
    expect(await keysTaken(run)).toEqual(["a0", "a1", "a3", "a4"]);
    expect(await run.rejects()).toMatchObject([{ place: "accounts.csv:4", key: "a2" }]);
  });
});

/** Sends part 0 once, without success. */
async function firstAttempt(
  run: TestRun,
  form: Form,
  chunk: { readonly chunk: number; readonly stage: number },
): Promise<void> {
  refuse(run, form, []);
  await run.attemptPart(run.part(chunk), form);
}

it("numbers a refused row as it was staged, where a file before it has grown since", async () => {
  const yaml = accountsYaml().replace("path: accounts.csv", 'path: "*.csv", append_only: true');
  const header = "id,domain,name\n";
  const versions = "k,k.example,OLD\nk,k.example,NEW\n";
  const files = { "a.csv": `${header}a,a.example,A\n`, "b.csv": `${header}${versions}` };
  const harness = await Harness.open({ yaml, files });
  const run = await TestRun.open(harness);
  const staged = await run.stage();
  await harness.write("a.csv", `${files["a.csv"]}c,c.example,C\nd,d.example,D\ne,e.example,E\n`);
  refuse(run, "file", [0, 1]);
  await run.send(staged);
  await run.commit(staged);
  await run.close();
  expect(await run.rejects()).toMatchObject([{ place: "a.csv:2" }, { place: "b.csv:2", key: "k" }]);
  const request = { replay: { run: "run-1" } };
  const replay = await TestRun.open(harness, { runId: "run-2", request });
  expect((await replay.transfer()).counts).toMatchObject({ sent: 1, filtered: 1 });
  expect((await harness.sandbox.names()).get("k")).toBe("NEW");
});

describe("what the service itself finds too large", () => {
  it("is halved as a body until it fits, and the one record that never does is a reject", async () => {
    // A body of one account has some 120 bytes, one of two more than 200; the name of a3 alone has 200.
    const settings = {
      yaml: accountsYaml(),
      files: { "accounts.csv": accountsCsv(rows, (row) => "x".repeat(row === 3 ? 200 : 5)) },
      sandbox: { bodyBytesMax: 180 },
    };
    const run = await TestRun.open(await Harness.open(settings));
    expect(await run.transfer("body")).toMatchObject({
      balanced: true,
      counts: { read: rows, sent: 4, rejected: 1 },
    });
    expect(await run.rejects()).toMatchObject([
      { place: "accounts.csv:5", key: "a3", code: "too_large", step: "send" },
    ]);
    expect(await keysTaken(run)).toEqual(["a0", "a1", "a2", "a4"]);
  });
});
