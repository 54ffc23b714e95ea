import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";

import { createProgram } from "../../../src/cli/program.ts";
import { readEnvironment } from "../../../src/config/environment.ts";
import { temporaryFolder } from "../../support/process/temporary-folder.ts";
import { accountsConfig, bin } from "../../support/project/project.ts";

const run = promisify(execFile);

const coverage = z.object({ result: z.array(z.object({ url: z.string() })) });

let folder: string;

beforeEach(async () => {
  folder = await temporaryFolder();
  await writeFile(join(folder, "sluice.yaml"), accountsConfig());
});

/** The output of the built program, and the files of ours whose code it loaded, according to Node itself. */
async function call(
  ...args: string[]
): Promise<{ readonly stdout: string; readonly files: readonly string[] }> {
  const counted = await mkdtemp(join(folder, "counted-"));
  const sandbox = { SLUICE_BASE_URL: "sandbox", SLUICE_LEGACY_BASE_URL: "sandbox" };
  const env = { PATH: process.env["PATH"], NODE_V8_COVERAGE: counted, ...sandbox };
  const { stdout } = await run(process.execPath, [bin, ...args], { cwd: folder, env });
  const files: string[] = [];
  for (const name of await readdir(counted)) {
    const { result } = coverage.parse(JSON.parse(await readFile(join(counted, name), "utf8")));
    for (const { url } of result) {
      if (url.startsWith("file:") && url.includes("/dist/")) files.push(fileURLToPath(url));
    }
  }
  return { stdout, files };
}

/** The verbs whose code is in one of the files. */
async function verbsIn(files: readonly string[]): Promise<readonly string[]> {
  const texts = await Promise.all(files.map(async (file) => await readFile(file, "utf8")));
  const verbs = texts.flatMap((text) => [...text.matchAll(/^const register(\w+) = /gm)]);
  return verbs.map(([, verb = ""]) => verb).toSorted();
}

/** The packages whose code is in one of the files, as the bundler notes them. */
async function packagesIn(files: readonly string[]): Promise<ReadonlySet<string>> {
  const texts = await Promise.all(files.map(async (file) => await readFile(file, "utf8")));
  const found = texts.flatMap((text) => [...text.matchAll(/^\/\/ node_modules\/([^/]+)/gm)]);
  return new Set(found.map(([, name = ""]) => name));
}

describe("the built program", () => {
  it("prints its own help without the code of a verb, as with all of them", async () => {
    const printed: string[] = [];
    const print = (text: string): void => void printed.push(text);
    const environment = readEnvironment({});
    const context = { print, say: print, exit: () => undefined, environment, cwd: folder };
    const program = await createProgram(context);
    program.configureOutput({ writeOut: print }).outputHelp();
    for (const asked of ["--help", "-h", "help"]) {
      const { stdout, files } = await call(asked);
      expect(stdout).toBe(printed.join(""));
      expect(await verbsIn(files)).toEqual(["Help"]);
    }
  });

  it("loads the code of the verb that is called or explained, and of no other", async () => {
    expect(await verbsIn((await call("help", "validate")).files)).toEqual(["Help", "Validate"]);
    const { stdout, files } = await call("validate");
    expect(stdout).toContain("is fine");
    expect(await verbsIn(files)).toEqual(["Help", "Validate"]);
    const packages = await packagesIn(files);
    expect(["yaml", "zod"].filter((name) => !packages.has(name))).toEqual([]);
    // No database or API is accessed.
    expect(["pg", "pg-cursor", "undici"].filter((name) => packages.has(name))).toEqual([]);
  });
});
