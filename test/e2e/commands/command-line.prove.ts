import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import {
  expectNoStack,
  interruptibleRun,
  Laptop,
  laptopConfig,
} from "../../support/process/laptop.ts";
import { until, watch } from "../../support/process/process.ts";
import { accountsCsv } from "../../support/project/project.ts";

const timeoutMs = 240_000;

describe("sluice run, with nothing configured", () => {
  it(
    "starts what it needs, sends, reports, and leaves nothing running",
    async () => {
      const laptop = await Laptop.open({
        "sluice.yaml": laptopConfig,
        "accounts.csv": accountsCsv(50),
      });
      const planned = await laptop.run(["plan", "accounts", "--json"]);
      expect(JSON.parse(planned.stdout)).toMatchObject({ counts: { read: 50, would_send: 50 } });
      const limited = await laptop.run(["run", "accounts", "--json", "--limit", "20"]);
      expect(JSON.parse(limited.stdout)).toMatchObject({ counts: { read: 20, sent: 20 } });
      expect(limited.stderr).not.toMatch(
        /started (?:the sandbox|an embedded Temporal)|Temporal server:/,
      );
      const whole = await laptop.run(["run", "accounts", "--verbose"]);
      expect(whole.code).toBe(0);
      expect(whole.stdout).toContain("read 50 = sent 30 + unchanged 20");
      expect(whole.stderr).toContain("started an embedded Temporal");
      const full = await laptop.run([
        "run",
        "accounts",
        "--full",
        "--mode",
        "heavyweight",
        "--json",
      ]);
      expect(JSON.parse(full.stdout)).toMatchObject({ mode: "heavyweight", counts: { sent: 50 } });
      await expect(readFile(join(laptop.folder, ".sluice", "temporal.json"))).rejects.toThrow(
        "ENOENT",
      );
    },
    timeoutMs,
  );

  it(
    "ends a run that was interrupted on `cancel`, though nothing runs that could",
    async () => {
      const laptop = await Laptop.open(interruptibleRun(40_000));
      const child = laptop.start(["run", "accounts"]);
      const { printed, ended } = watch(child);
      await until(async () => printed().stderr.includes("heavyweight"));
      child.kill("SIGINT");
      expect((await ended).code).toBe(130);
      const [, workflowId = ""] = /workflow (\S+)/.exec(printed().stderr) ?? [];

      const cancelled = await laptop.run(["cancel", workflowId]);
      expect([cancelled.code, cancelled.stdout]).toEqual([0, `${workflowId} has stopped\n`]);
      const { stdout } = await laptop.run(["runs", "list", "--json"]);
      expect(JSON.parse(stdout)).toMatchObject({ outcome: "cancelled", balanced: true });
      expect((await laptop.run(["cancel", workflowId])).stderr).toContain("has ended: cancelled");
      // Nobody holds the sync's lock any more.
      const again = await laptop.run(["state", "reset", "accounts", "--reason", "test"]);
      expect(again.code).toBe(0);
    },
    timeoutMs,
  );
});

describe("wrong input", () => {
  const files = { "sluice.yaml": laptopConfig, "accounts.csv": accountsCsv(3) };

  it.each([
    { name: "an unknown sync", args: ["run", "acounts"], text: 'did you mean "accounts"' },
    { name: "an unknown verb", args: ["ran"], text: "run" },
    {
      name: "a limit that is not a number",
      args: ["run", "accounts", "--limit", "many"],
      text: "whole number",
    },
    {
      name: "a configuration that is not there",
      args: ["run", "accounts", "--config", "no.yaml"],
      text: "no.yaml",
    },
  ])("answers $name with 2", async ({ args, text }) => {
    const laptop = await Laptop.open(files);
    const ended = await laptop.run(args);
    expect(ended.stderr).toContain(text);
    expect(ended.code).toBe(2);
    expectNoStack(ended);
  });

  it("ends with 4 when Temporal or the service cannot be reached", async () => {
    const away = laptopConfig.replaceAll("base_url: sandbox", "base_url: http://127.0.0.1:9");
    const laptop = await Laptop.open({ ...files, "away.yaml": away });
    const noTemporal = await laptop.run(["run", "accounts"], { TEMPORAL_ADDRESS: "127.0.0.1:9" });
    expect(noTemporal.code).toBe(4);
    expect(noTemporal.stderr).toContain("127.0.0.1:9");
    expectNoStack(noTemporal);
    const worker = await laptop.run(["worker"], { TEMPORAL_ADDRESS: "127.0.0.1:9" });
    expect(worker.code).toBe(4);
    expect(worker.stderr).toContain("`sluice temporal start` does");
    const noService = await laptop.run(["run", "accounts", "--json", "--config", "away.yaml"]);
    expect(noService.code).toBe(4);
    expect(JSON.parse(noService.stdout)).toMatchObject({ error: { code: "Unavailable" } });
  });

  it.each([
    {
      name: "a column that is not there",
      csv: "id,website\na,b.example\n",
      code: 2,
      texts: ['"domain"', '"name"', 'its columns are "id", "website"'],
    },
    { name: "a file that is not there", csv: undefined, code: 2, texts: ["accounts.csv"] },
    {
      name: "a file of no rows where some are asked for",
      csv: "id,domain,name,employees\n",
      code: 1,
      texts: ["read 0 rows", "asks for 1"],
    },
    {
      name: "an unclosed quote",
      csv: 'id,domain,name,employees\na,a.example,A,1\nb,b.example,"B,2\n',
      code: 2,
      texts: ["accounts.csv:3", "quote"],
    },
  ])(
    "answers $name",
    async ({ csv, code, texts }) => {
      const withMinimum = laptopConfig.replace("from: exports", "min_rows: 1\n    from: exports");
      const source = csv === undefined ? {} : { "accounts.csv": csv };
      const laptop = await Laptop.open({ "sluice.yaml": withMinimum, ...source });
      const ended = await laptop.run(["run", "accounts"]);
      for (const text of texts) expect(`${ended.stdout}${ended.stderr}`).toContain(text);
      expect(ended.code).toBe(code);
      expectNoStack(ended);
    },
    timeoutMs,
  );
});
