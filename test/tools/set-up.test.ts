import { spawnSync } from "node:child_process";
import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

import { describe, expect, it } from "vitest";

import { temporaryFolder } from "../support/process/temporary-folder.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The last line of npm's own output. */
const counted = /^(?:added|changed) \d+ packages?(?:, .*)? in .*$/;

/** Runs a program from the folder's PATH, without the packages that npm adds to ours. */
function run(folder: string, command: string, ...args: readonly string[]) {
  const own = join(root, "node_modules", ".bin");
  const { PATH = "", HOME } = process.env;
  const path = PATH.split(delimiter).filter((each) => each !== own);
  const env = { HOME, PATH: path.join(delimiter), npm_config_offline: "true" };
  const { stdout, stderr, status } = spawnSync(command, args, {
    cwd: folder,
    env,
    encoding: "utf8",
  });
  return { status, lines: `${stdout}${stderr}`.split("\n").filter((line) => line.trim() !== "") };
}

/**
 * A clone whose only package is inside it, so that nothing is downloaded, and requires a Node version that does not
 * exist: npm warns of it, as it does if the local Node is too old for us or for our packages.
 */
async function clone(): Promise<string> {
  const folder = await temporaryFolder();
  await cp(join(root, "tools"), join(folder, "tools"), { recursive: true });
  const needs = { version: "1.0.0", engines: { node: ">=99" } };
  await mkdir(join(folder, "near"));
  await writeFile(join(folder, "near/package.json"), JSON.stringify({ name: "near", ...needs }));
  const dependencies = { near: "file:near" };
  const build = `mkdir -p dist && touch dist/workflow-bundle.js`;
  await writeFile(
    join(folder, "package.json"),
    JSON.stringify({ name: "clone", ...needs, dependencies, scripts: { build } }),
  );
  const packages = {
    "": { name: "clone", ...needs, dependencies },
    near: needs,
    "node_modules/near": { resolved: "near", link: true },
  };
  await writeFile(
    join(folder, "package-lock.json"),
    JSON.stringify({
      name: "clone",
      version: "1.0.0",
      lockfileVersion: 3,
      requires: true,
      packages,
    }),
  );
  return folder;
}

describe("the first set-up of a clone", () => {
  it("tells its own steps, and npm no more than how many packages there are", async () => {
    const folder = await clone();
    const { status, lines } = run(folder, process.execPath, "tools/run.mjs", "setup");
    expect(lines.filter((line) => !counted.test(line))).toEqual([
      "sluice: installing packages (npm ci)",
      "sluice: building dist",
    ]);
    expect(lines.length).toBeLessThanOrEqual(3);
    expect(status).toBe(0);
    expect(await readFile(join(folder, "dist/workflow-bundle.js"), "utf8")).toBe("");
  });

  it("tells the arguments of a program before anything is installed", async () => {
    const folder = await clone();
    await mkdir(join(folder, "prove"));
    await cp(join(root, "prove/prove.ts"), join(folder, "prove/prove.ts"));
    const { status, lines } = run(folder, process.execPath, "tools/run.mjs", "prove", "--help");
    expect(lines[0]).toBe("npm run prove");
    expect(lines.at(-1)).toMatch(/read\.$/);
    expect(status).toBe(0);
  });

  it("would show the warnings that npm has by itself", async () => {
    const { status, lines } = run(await clone(), "npm", "ci");
    expect(lines.filter((line) => line.startsWith("npm warn EBADENGINE")).length).toBeGreaterThan(
      2,
    );
    expect(status).toBe(0);
  });
});
