import { spawn, type ChildProcess } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { describe, expect, it, onTestFinished } from "vitest";

import { identify } from "../../src/local/process-identity.ts";
import { keepFolder } from "../support/canaries.ts";
import {
  end,
  endSharedServers,
  serviceRecord,
  until,
  watch,
  type Ended,
} from "../support/process.ts";
import { accountsConfig, accountsCsv, bin } from "../support/project.ts";

const timeoutMs = 240_000;

/** A laptop with nothing configured: `base_url: sandbox`, no TEMPORAL_ADDRESS. */
class Laptop {
  readonly folder: string;
  readonly #children: ChildProcess[] = [];

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async open(files: Readonly<Record<string, string>>): Promise<Laptop> {
    const folder = await mkdtemp(join(tmpdir(), "sluice-cli-"));
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    const laptop = new Laptop(folder);
    onTestFinished(async () => {
      await laptop.#stop();
      await keepFolder(folder);
      await rm(folder, { recursive: true });
    });
    return laptop;
  }

  start(args: readonly string[], env: NodeJS.ProcessEnv = {}): ChildProcess {
    const child = spawn(process.execPath, [bin, ...args], {
      cwd: this.folder,
      env: {
        PATH: process.env["PATH"],
        HOME: process.env["HOME"],
        NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
        ...env,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#children.push(child);
    return child;
  }

  /** Ends what a test that failed left: its commands, and the servers that they could not stop any more. */
  async #stop(): Promise<void> {
    for (const child of this.#children) await end(child, "SIGKILL");
    await endSharedServers(this.folder);
  }

  async run(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
    return await watch(this.start(args, env)).ended;
  }
}

function expectNoStack({ stdout, stderr }: Ended): void {
  expect(`${stdout}${stderr}`).not.toMatch(/\n\s+at .*:\d+:\d+/);
}

const config = accountsConfig()
  .replace("${SLUICE_BASE_URL}", "sandbox")
  .replace("${SLUICE_LEGACY_BASE_URL}", "sandbox");

/** Files of a run that lasts long enough to be interrupted. */
const longRun = {
  "sluice.yaml": config.replace("from: exports", "chunk: { records: 500 }\n    from: exports"),
  "accounts.csv": accountsCsv(40_000),
};

describe("sluice run, with nothing configured", () => {
  it(
    "starts what it needs, sends, reports, and leaves nothing running",
    async () => {
      const laptop = await Laptop.open({ "sluice.yaml": config, "accounts.csv": accountsCsv(50) });
      const dry = await laptop.run(["run", "accounts", "--dry-run", "--json"]);
      expect(JSON.parse(dry.stdout)).toMatchObject({
        outcome: "done",
        dry_run: true,
        counts: { read: 50, sent: 0, would_send: 50 },
      });
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
    "stops what it started on Ctrl-C, and the same command goes on with the run",
    async () => {
      const laptop = await Laptop.open(longRun);
      const child = laptop.start(["run", "accounts"]);
      const { printed, ended } = watch(child);
      await until(async () => printed().stderr.includes("heavyweight"));
      const record = await readFile(join(laptop.folder, ".sluice", "temporal.json"), "utf8");
      const { server } = serviceRecord.parse(JSON.parse(record));
      expect(identify(server.pid)).toBeDefined();
      child.kill("SIGINT");
      const { code, stderr } = await ended;
      expect(code).toBe(130);
      expect(stderr).toContain("the same command goes on");
      expect(identify(server.pid)).toBeUndefined();

      const again = await laptop.run(["run", "accounts", "--json"]);
      expect(again.stderr).toContain("going on with run");
      expect(again.stderr).not.toMatch(/shutting down|told to stop/);
      expect(JSON.parse(again.stdout)).toMatchObject({
        outcome: "done",
        balanced: true,
        counts: { read: 40_000, sent: 40_000 },
      });
      const { stdout } = await laptop.run(["runs", "list", "--json"]);
      expect(stdout.trim().split("\n")).toHaveLength(1);
    },
    timeoutMs,
  );

  it(
    "ends a run that was interrupted on `cancel`, though nothing runs that could",
    async () => {
      const laptop = await Laptop.open(longRun);
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
      // Nobody holds the sync any more.
      const again = await laptop.run(["state", "reset", "accounts", "--reason", "test"]);
      expect(again.code).toBe(0);
    },
    timeoutMs,
  );
});

describe("wrong input", () => {
  const files = { "sluice.yaml": config, "accounts.csv": accountsCsv(3) };

  it("ends with 2 and every mistake of sluice.yaml at its line", async () => {
    const wrong = config
      .replace("stream: account", "stream: acount")
      .replace("from: exports", "form: x");
    const laptop = await Laptop.open({ ...files, "sluice.yaml": wrong });
    const ended = await laptop.run(["run", "accounts"]);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toMatch(/sluice\.yaml:\d+:\d+: .*\n.*\n\s*\^/);
    expect(ended.stderr).toContain("acount");
    expect(ended.stderr).toContain('did you mean "from"');
    expectNoStack(ended);
  });

  it.each([
    { name: "an unknown sync", args: ["run", "acounts"], text: 'did you mean "accounts"' },
    { name: "an unknown verb", args: ["ran"], text: "run" },
    {
      name: "a limit that is no number",
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
    const away = config.replaceAll("base_url: sandbox", "base_url: http://127.0.0.1:9");
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
      const withMinimum = config.replace("from: exports", "min_rows: 1\n    from: exports");
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
