import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { beforeAll, describe, expect, it, onTestFinished } from "vitest";

import { identify } from "../../src/local/process-identity.ts";
import { accountsConfig, accountsCsv, bin, until, type Ended } from "../support/project.ts";

const timeoutMs = 60_000;

/** A laptop with nothing configured: `base_url: sandbox`, no TEMPORAL_ADDRESS. */
class Laptop {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async open(files: Readonly<Record<string, string>>): Promise<Laptop> {
    const folder = await mkdtemp(join(tmpdir(), "sluice-cli-"));
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    onTestFinished(async () => await rm(folder, { recursive: true }));
    return new Laptop(folder);
  }

  start(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
    return spawn(process.execPath, [bin, ...args], {
      cwd: this.folder,
      env: { PATH: process.env["PATH"], HOME: process.env["HOME"], ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
  }

  async run(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
    const child = this.start(args, env);
    let [stdout, stderr] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    const [code] = (await once(child, "close")) as [number | null];
    return { code, stdout, stderr };
  }
}

const config = accountsConfig()
  .replace("${SLUICE_BASE_URL}", "sandbox")
  .replace("${SLUICE_LEGACY_BASE_URL}", "sandbox");

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
      const whole = await laptop.run(["run", "accounts"]);
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
      const laptop = await Laptop.open({
        "sluice.yaml": config.replace(
          "from: exports",
          "chunk: { records: 500 }\n    from: exports",
        ),
        "accounts.csv": accountsCsv(40_000),
      });
      const child = laptop.start(["run", "accounts"]);
      let stderr = "";
      child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
      await until(async () => stderr.includes("heavyweight"));
      const { pid = 0 } = JSON.parse(
        await readFile(join(laptop.folder, ".sluice", "temporal.json"), "utf8"),
      ).server as { pid?: number };
      expect(identify(pid)).toBeDefined();
      child.kill("SIGINT");
      const [code] = (await once(child, "close")) as [number | null];
      expect(code).toBe(130);
      expect(stderr).toContain("the same command goes on");
      expect(identify(pid)).toBeUndefined();

      const again = await laptop.run(["run", "accounts", "--json"]);
      expect(again.stderr).toContain("going on with run");
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
});

describe("wrong input", () => {
  let files: Record<string, string>;
  beforeAll(() => {
    files = { "sluice.yaml": config, "accounts.csv": accountsCsv(3) };
  });
  const noStack = ({ stdout, stderr }: Ended): void =>
    expect(`${stdout}${stderr}`).not.toMatch(/\n\s+at .*:\d+:\d+/);

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
    noStack(ended);
  });

  it.each([
    ["an unknown sync", ["run", "acounts"], {}, 2, 'did you mean "accounts"'],
    ["an unknown verb", ["ran"], {}, 2, "run"],
    ["a limit that is no number", ["run", "accounts", "--limit", "many"], {}, 2, "whole number"],
    [
      "a configuration that is not there",
      ["run", "accounts", "--config", "no.yaml"],
      {},
      2,
      "no.yaml",
    ],
    [
      "a Temporal that is not there",
      ["run", "accounts"],
      { TEMPORAL_ADDRESS: "127.0.0.1:9" },
      4,
      "127.0.0.1:9",
    ],
  ])(
    "answers %s",
    async (_, args, env, code, text) => {
      const laptop = await Laptop.open(files);
      const ended = await laptop.run(args, env);
      expect(ended.stderr).toContain(text);
      expect(ended.code).toBe(code);
      noStack(ended);
    },
    timeoutMs,
  );

  it("ends with 4 when the service cannot be reached", async () => {
    const away = config.replaceAll("base_url: sandbox", "base_url: http://127.0.0.1:9");
    const laptop = await Laptop.open({ ...files, "sluice.yaml": away });
    const ended = await laptop.run(["run", "accounts", "--json"]);
    expect(ended.code).toBe(4);
    expect(JSON.parse(ended.stdout)).toMatchObject({ error: { code: "Unavailable" } });
  });

  it.each([
    [
      "a column that is not there",
      { "accounts.csv": "id,website\na,b.example\n" },
      2,
      ['"domain"', '"name"', 'its columns are "id", "website"'],
    ],
    ["a file that is not there", { "accounts.csv": undefined }, 2, ["accounts.csv"]],
    [
      "a file of no rows where some are asked for",
      { "accounts.csv": "id,domain,name,employees\n" },
      1,
      ["read 0 rows", "asks for 1"],
    ],
    [
      "an unclosed quote",
      { "accounts.csv": 'id,domain,name,employees\na,a.example,A,1\nb,b.example,"B,2\n' },
      2,
      ["accounts.csv:3", "quote"],
    ],
  ])(
    "answers %s",
    async (_, changed, code, texts) => {
      const withMinimum = config.replace("from: exports", "min_rows: 1\n    from: exports");
      const all = { ...files, "sluice.yaml": withMinimum, ...changed };
      const present = Object.entries(all).filter(
        (entry): entry is [string, string] => entry[1] !== undefined,
      );
      const laptop = await Laptop.open(Object.fromEntries(present));
      const ended = await laptop.run(["run", "accounts"]);
      for (const text of texts) expect(`${ended.stdout}${ended.stderr}`).toContain(text);
      expect(ended.code).toBe(code);
      noStack(ended);
    },
    timeoutMs,
  );
});
