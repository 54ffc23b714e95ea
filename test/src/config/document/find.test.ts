import { execFile } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { findConfigFile } from "../../../../src/config/document/find.ts";
import { configBytesMax } from "../../../../src/limits.ts";
import { refusal } from "../support.ts";

let top = "";
let cwd = "";
beforeEach(async () => {
  top = await realpath(await mkdtemp(join(tmpdir(), "sluice-find-")));
  cwd = join(top, "a", "b");
  await mkdir(cwd, { recursive: true });
});
afterEach(async () => {
  await rm(top, { recursive: true });
});

describe("findConfigFile", () => {
  it("takes the nearest sluice.yaml upwards", async () => {
    await writeFile(join(top, "sluice.yaml"), "far");
    expect(await findConfigFile({ cwd, env: {} })).toMatchObject({
      path: join(top, "sluice.yaml"),
      name: join("..", "..", "sluice.yaml"),
      text: "far",
    });
    await writeFile(join(cwd, "sluice.yaml"), "near");
    expect(await findConfigFile({ cwd, env: {} })).toMatchObject({
      name: "sluice.yaml",
      text: "near",
    });
  });

  it("prefers --config to SLUICE_CONFIG, and that to the search", async () => {
    for (const name of ["sluice.yaml", "one.yaml", "two.yaml"]) {
      await writeFile(join(cwd, name), name);
    }
    const env = { SLUICE_CONFIG: "one.yaml" };
    expect((await findConfigFile({ cwd, env, path: "two.yaml" })).text).toBe("two.yaml");
    expect((await findConfigFile({ cwd, env })).text).toBe("one.yaml");
    expect((await findConfigFile({ cwd, env: { SLUICE_CONFIG: "" } })).text).toBe("sluice.yaml");
  });

  it("says where it looked when there is none, and how to make one", async () => {
    await expect(findConfigFile({ cwd, env: {} })).rejects.toMatchObject({
      message: `no sluice.yaml in ${cwd} or any folder above it`,
      hint: expect.stringContaining("make one with `sluice init`") as unknown,
    });
  });

  it("names the file of a folder that is named in its place", async () => {
    await expect(findConfigFile({ cwd, env: {}, path: "." })).rejects.toMatchObject({
      message: "--config names ., which is a folder",
      hint: "Name the file in it: sluice.yaml",
    });
  });

  it("does not search on when a named file is missing", async () => {
    await writeFile(join(cwd, "sluice.yaml"), "");
    expect(await refusal(findConfigFile({ cwd, env: {}, path: "none.yaml" }))).toBe(
      "--config names none.yaml, but there is no such file",
    );
    const env = { SLUICE_CONFIG: "/none/x.yaml" };
    expect(await refusal(findConfigFile({ cwd, env }))).toBe(
      "SLUICE_CONFIG names /none/x.yaml, but there is no such file",
    );
  });

  it("refuses a folder and a named pipe without waiting", async () => {
    await mkdir(join(cwd, "sluice.yaml"));
    expect(await refusal(findConfigFile({ cwd, env: {} }))).toBe("sluice.yaml is not a file");
    await promisify(execFile)("mkfifo", [join(cwd, "pipe")]);
    expect(await refusal(findConfigFile({ cwd, env: {}, path: "pipe" }))).toBe(
      "pipe is not a file",
    );
  });

  it("reads UTF-8 with or without a byte order mark, and nothing else", async () => {
    const path = join(cwd, "sluice.yaml");
    await writeFile(path, "\ufeffé");
    expect((await findConfigFile({ cwd, env: {} })).text).toBe("é");
    await writeFile(path, Buffer.from([0x61, 0xe9]));
    expect(await refusal(findConfigFile({ cwd, env: {} }))).toBe("sluice.yaml is not UTF-8");
  });

  it.each([-1, 0])("reads a file of the largest size %+i", async (more) => {
    await writeFile(join(cwd, "sluice.yaml"), "#".repeat(configBytesMax + more));
    const { bytes } = await findConfigFile({ cwd, env: {} });
    expect(bytes.length).toBe(configBytesMax + more);
  });

  it("refuses a file that is one byte larger", async () => {
    await writeFile(join(cwd, "sluice.yaml"), "#".repeat(configBytesMax + 1));
    const message = "sluice.yaml is larger than 262144 bytes";
    expect(await refusal(findConfigFile({ cwd, env: {} }))).toBe(message);
  });
});
