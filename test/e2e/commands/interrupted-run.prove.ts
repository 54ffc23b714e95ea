import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { expect, it, onTestFinished } from "vitest";

import { identify } from "../../../src/local/process-identity.ts";
import { interruptibleRun, Laptop } from "../../support/process/laptop.ts";
import { serviceRecord, until, watch } from "../../support/process/process.ts";
import {
  accountsConfig,
  accountsCsv,
  Project,
  syncsConfig,
} from "../../support/project/project.ts";
import { Receiver, receiverSecret } from "../../support/webhooks/receiver.ts";

const rows = 8_000;

it(
  "`sluice run` starts what it needs, stops it on Ctrl-C, continues when it is called again, and " +
    "leaves nothing running",
  async () => {
    const laptop = await Laptop.open(interruptibleRun(rows));
    const child = laptop.start(["run", "accounts"]);
    const { printed, ended } = watch(child);
    await until(async () => printed().stderr.includes("heavyweight"));
    const recordFile = join(laptop.folder, ".sluice", "temporal.json");
    const { server } = serviceRecord.parse(JSON.parse(await readFile(recordFile, "utf8")));
    expect(identify(server.pid)).toBeDefined();
    child.kill("SIGINT");
    const { code, stderr } = await ended;
    expect(code).toBe(130);
    expect(stderr).toContain("the same command continues");
    expect(identify(server.pid)).toBeUndefined();

    const again = await laptop.run(["run", "accounts", "--json"]);
    // The servers that are started, and their addresses, are printed only with --verbose.
    expect(again.stderr).toMatch(/^sluice: continuing with run /);
    expect(again.stderr).not.toMatch(/shutting down|told to stop/);
    expect(JSON.parse(again.stdout)).toMatchObject({
      outcome: "done",
      balanced: true,
      counts: { read: rows, sent: rows },
    });
    await expect(readFile(recordFile)).rejects.toThrow("ENOENT");
    const { stdout } = await laptop.run(["runs", "list", "--json"]);
    expect(stdout.trim().split("\n")).toHaveLength(1);
  },
);

it("`sluice run` that is interrupted while it waits for a worker ends at once, and starts nothing", async () => {
  const project = await Project.start(onTestFinished, {
    "sluice.yaml": accountsConfig(),
    "accounts.csv": accountsCsv(3),
  });
  const child = project.command(["run", "accounts"]);
  const { printed, ended } = watch(child);
  await until(async () => printed().stderr.includes("waiting for a worker"));
  const from = Date.now();
  child.kill("SIGINT");
  expect(await ended).toMatchObject({
    code: 130,
    stderr: expect.stringMatching(/interrupted before the run began\n$/) as unknown,
  });
  expect(Date.now() - from).toBeLessThan(5_000);
  expect((await project.temporal.client.workflow.count()).count).toBe(0);
});

it("`sluice run` of several that is interrupted between two ends as interrupted, and names what it left", async () => {
  const receiver = await Receiver.start(...Array<"never">(10).fill("never"));
  const project = await Project.start(onTestFinished, {
    "sluice.yaml":
      `${syncsConfig({ one: "", two: "" })}notify: { url: "${receiver.url}", ` +
      `secret: "${receiverSecret}", on: always }\n`,
    "one.csv": accountsCsv(3),
    "two.csv": accountsCsv(3),
  });
  const child = project.command(["run", "one", "two"], { TEMPORAL_ADDRESS: undefined });
  const { printed, ended } = watch(child);
  await until(async () => printed().stdout.includes("one: done"));
  child.kill("SIGINT");
  expect(await ended).toMatchObject({
    code: 130,
    stderr: expect.stringContaining("interrupted before the run of two began\n") as unknown,
  });
  expect(await project.state.runs({ limit: 2 })).toMatchObject([{ sync: "one" }]);
});
