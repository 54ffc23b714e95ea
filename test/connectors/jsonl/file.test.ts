import { execFileSync } from "node:child_process";
import { chmod, mkdir, open, rm } from "node:fs/promises";
import { dirname } from "node:path";

import { describe, expect, it, onTestFinished } from "vitest";

import { jsonlConfig } from "../../../connectors/jsonl/config.ts";
import { jsonl } from "../../../connectors/jsonl/index.ts";
import { linesOf } from "../../../connectors/jsonl/lines.ts";
import { ConfigError } from "../../../src/errors.ts";
import { lock } from "../../support/process/lock.ts";
import { Harness, harnessHead } from "../../support/project/harness.ts";
import { TestRun } from "../../support/project/test-run.ts";
import { askFor, pagesOf } from "./support.ts";

describe("a file of JSON lines", () => {
  it.each(["b.jsonl", "a.jsonl/b.jsonl", "a\0b", "x".repeat(300)])(
    "names the member of a path that leads to none: %j",
    async (path) => {
      const { ask } = await askFor("{}\n", { path });
      const error = await pagesOf(ask).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(ConfigError);
      expect(error).toMatchObject({ field: "path" });
    },
  );

  it("refuses what is not a regular file, without waiting for it", async () => {
    const { ask, path } = await askFor("");
    await rm(path);
    await mkdir(path);
    await expect(pagesOf(ask)).rejects.toThrow("a.jsonl is not a file");
    await rm(path, { recursive: true });
    execFileSync("/usr/bin/env", ["mkfifo", path]);
    await expect(pagesOf(ask)).rejects.toThrow("a.jsonl is not a file");
  });

  it("says what to do when it may not be read", async () => {
    const { ask, path } = await askFor("{}\n");
    // Its folder is accessible, so that only the file itself is locked.
    await chmod(dirname(path), 0o755);
    onTestFinished(await lock(path));
    const hint = "set `path` to a file that this process may read";
    await expect(pagesOf(ask)).rejects.toMatchObject({ field: "path", hint });
  });
});

function yamlOf(isAppendOnly: boolean): string {
  return `${harnessHead}connections:
  file: { connector: jsonl, path: a.jsonl, append_only: ${isAppendOnly} }
syncs:
  accounts:
    from: file
    stream: account
    record: { account_id: id, domain: { value: a.example }, account_properties: {} }
`;
}

it("a file is read again once append_only is switched on, and the report says so", async () => {
  const files = { "a.jsonl": '{"id":"1"}\n{"id":"2"}\n' };
  const harness = await Harness.open({ yaml: yamlOf(false), files });
  const read = async (isAppendOnly: boolean, runId: string) => {
    const at = await harness.withYaml(yamlOf(isAppendOnly));
    const { counts, warnings } = await (await TestRun.open(at, { runId })).transfer();
    return { read: counts.read, warnings };
  };
  expect(await read(false, "run-1")).toEqual({ read: 2, warnings: [] });
  const told = expect.stringContaining("everything is read again") as unknown;
  expect(await read(true, "run-2")).toEqual({ read: 2, warnings: [told] });
  expect(await read(true, "run-3")).toEqual({ read: 0, warnings: [] });
  expect(await read(false, "run-4")).toEqual({ read: 2, warnings: [] });
});

describe("the check of jsonl", () => {
  it("takes a file with rows, or without a line", async () => {
    for (const content of ['[]\n{"a":1}\n', ""]) {
      const { ask } = await askFor(content);
      expect(await jsonl.check?.(ask)).toEqual([{ name: "a.jsonl", ok: true }]);
    }
  });

  it("says what to do about a file that holds something else, or is not there", async () => {
    const { ask } = await askFor("id,name\n1,x\n");
    const fix = "give a file with one JSON object on each line";
    expect(await jsonl.check?.(ask)).toEqual([{ name: "a.jsonl", ok: false, fix }]);
    const { ask: absent } = await askFor("", { path: "b.jsonl" });
    expect(await jsonl.check?.(absent)).toEqual([
      {
        name: "b.jsonl",
        ok: false,
        detail: "b.jsonl cannot be read: ENOENT",
        fix: "set `path` to a file that this process may read",
      },
    ]);
  });
});

it("hands out lines some thousand at a time, because a block of blank ones has millions", async () => {
  const { ask, path } = await askFor("\n".repeat(25_000));
  await using file = await open(path);
  const counts: number[] = [];
  const { log, signal } = ask;
  const request = { config: jsonlConfig.parse(ask.config), log, signal, pageRowsMax: 100 };
  for await (const lines of linesOf(file, request, 25_000)) counts.push(lines.length);
  expect(counts).toEqual([10_000, 10_000, 5_000]);
});
