import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { ConfigError } from "../../../src/errors.ts";
import { findTemporal } from "../../../src/local/find-temporal.ts";
import { refusing } from "../../support/raw-server.ts";

let folder = "";
let said: string[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sluice-find-"));
  said = [];
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

const say = (text: string): number => said.push(text);
const inCache = (...names: string[]): string => join(folder, "cache", "temporal-1.5.1", ...names);

async function writeProgram(path: string, lines: readonly string[]): Promise<void> {
  await mkdir(join(path, ".."), { recursive: true });
  await writeFile(path, ["#!/bin/sh", ...lines, ""].join("\n"), { mode: 0o755 });
}

/** An environment in which nothing can be downloaded: the proxy it names refuses connections. */
async function offline(...path: string[]): Promise<Record<string, string>> {
  return { PATH: path.join(":"), HTTPS_PROXY: (await refusing()).href };
}

async function find(env: Record<string, string>): Promise<string> {
  return await findTemporal({ env, cacheFolder: join(folder, "cache"), say, detail: say });
}

/** Replaces Go, which takes minutes: records how it was called and puts a program where it was asked to. */
const goThatBuilds = (calls: string): readonly string[] => [
  `echo "$CGO_ENABLED $@" >> ${calls}`,
  "/bin/sleep 0.2",
  '/bin/cp "$0" "$GOBIN/temporal"',
];

describe("findTemporal", () => {
  it("takes the program on the PATH before the one in our cache", async () => {
    await mkdir(join(folder, "first", "temporal"), { recursive: true });
    await writeProgram(join(folder, "second", "temporal"), []);
    await writeProgram(inCache("temporal"), []);
    const path = await find({ PATH: `${join(folder, "first")}::${join(folder, "second")}` });
    expect(path).toBe(join(folder, "second", "temporal"));
    expect(said).toEqual([`Temporal server: ${path}, found on the PATH`]);
  });

  it("takes the one in our cache when the PATH has none", async () => {
    await writeProgram(inCache("temporal"), []);
    expect(await find({})).toBe(inCache("temporal"));
    expect(said).toEqual([`Temporal server: ${inCache("temporal")}`]);
  });

  it("looks for our cache in the user's cache folder", async () => {
    await writeProgram(join(folder, "sluice", "temporal-1.5.1", "temporal"), []);
    const path = await findTemporal({ env: { XDG_CACHE_HOME: folder }, say, detail: say });
    expect(path).toBe(join(folder, "sluice", "temporal-1.5.1", "temporal"));
  });

  it("builds it into our cache when nothing can be downloaded, saying how long that takes", async () => {
    const calls = join(folder, "calls");
    await writeProgram(join(folder, "bin", "go"), goThatBuilds(calls));
    expect(await find(await offline(join(folder, "bin")))).toBe(inCache("temporal"));
    expect(await readFile(calls, "utf8")).toBe(
      "0 install github.com/temporalio/cli/cmd/temporal@v1.5.1\n",
    );
    expect(said).toEqual([
      "downloading the Temporal server",
      "building the Temporal server from source, once; this takes about three minutes on two cores",
      `Temporal server: ${inCache("temporal")}`,
    ]);
    expect(await readdir(inCache())).toEqual(["fetch.lock", "temporal"]);
  });

  it("builds once for processes that ask at the same time", async () => {
    const calls = join(folder, "calls");
    await writeProgram(join(folder, "bin", "go"), goThatBuilds(calls));
    const env = await offline(join(folder, "bin"));
    const paths = await Promise.all([find(env), find(env), find(env)]);
    expect(new Set(paths)).toEqual(new Set([inCache("temporal")]));
    expect((await readFile(calls, "utf8")).split("\n")).toHaveLength(2);
    const waiting = said.filter((line) => line.includes("another process is getting"));
    expect(waiting).toHaveLength(2);
  });

  it("clears away what a killed fetch left behind", async () => {
    await writeProgram(inCache("fetch-killed", "half"), []);
    await writeProgram(join(folder, "bin", "go"), goThatBuilds(join(folder, "calls")));
    await find(await offline(join(folder, "bin")));
    expect(await readdir(inCache())).toEqual(["fetch.lock", "temporal"]);
  });

  it("names the folder and its setting where nothing can be put into the cache", async () => {
    await writeFile(join(folder, "cache"), "");
    const finding = find({});
    await expect(finding).rejects.toThrow(ConfigError);
    await expect(finding).rejects.toThrow(/^the Temporal server cannot be put into .*: ENOTDIR/);
    await expect(finding).rejects.toMatchObject({ field: "SLUICE_TEMPORAL_CACHE" });
  });

  it("lists what was tried and the way out when nothing works", async () => {
    await writeProgram(join(folder, "bin", "go"), ["echo 'no such module' >&2", "exit 1"]);
    const failing = find(await offline(join(folder, "bin")));
    await expect(failing).rejects.toThrow(ConfigError);
    await expect(failing).rejects.toThrow(
      new RegExp(
        "^No Temporal server .* Tried:\\n {2}- `temporal` on the PATH: not there\\n {2}- our cache: not in .*\\n" +
          " {2}- the SDK's download: .*failed to download.*\\n {2}- go install: no such module$",
      ),
    );
    expect(await readdir(inCache())).toEqual(["fetch.lock"]);
  });
});
