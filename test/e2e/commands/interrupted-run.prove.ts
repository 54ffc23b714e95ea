import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { expect, it } from "vitest";

import { identify } from "../../../src/local/process-identity.ts";
import { interruptibleRun, Laptop } from "../../support/process/laptop.ts";
import { serviceRecord, until, watch } from "../../support/process/process.ts";

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
