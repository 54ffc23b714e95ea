import { execFileSync } from "node:child_process";
import { chmod, mkdir, rm } from "node:fs/promises";
import { dirname } from "node:path";

import { describe, expect, it, onTestFinished } from "vitest";

import { jsonl } from "../../../connectors/jsonl/index.ts";
import { ConfigError } from "../../../src/errors.ts";
import { lock } from "../../support/process/lock.ts";
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
