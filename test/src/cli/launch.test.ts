import { spawn } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

import { expect, it } from "vitest";
import { z } from "zod";

import { temporaryFolder } from "../../support/process/temporary-folder.ts";

const bin = fileURLToPath(new URL("../../../bin/sluice.js", import.meta.url));

const told = z.object({
  flags: z.array(z.string()),
  arenas: z.string().optional(),
  large: z.string().optional(),
  tag: z.int(),
});

/** With what a command runs in the end; it tells its usage, where it is built, and nothing more. */
async function launched(verb: string, variables = {}): Promise<z.output<typeof told>> {
  const preload = join(await temporaryFolder(), "tell.cjs");
  await writeFile(
    preload,
    `process.on("exit", () => process.stdout.write("\\n" + JSON.stringify({
       flags: process.execArgv, arenas: process.env.MALLOC_ARENA_MAX,
       large: process.env.MALLOC_MMAP_THRESHOLD_, tag: require("node:v8").cachedDataVersionTag() })));`,
  );
  const env = { ...process.env, NODE_OPTIONS: `--require ${preload}`, ...variables };
  const child = spawn(process.execPath, [bin, verb, "--help"], { env });
  const stdout = await text(child.stdout);
  return told.parse(JSON.parse(stdout.slice(stdout.lastIndexOf("\n"))));
}

it("runs what moves rows with young generations that do not grow, and one arena", async () => {
  const flags = ["--min-semi-space-size=4", "--max-semi-space-size=4"];
  const expected = { flags, arenas: "1", large: "262144" };
  expect(await launched("worker")).toMatchObject(expected);
  expect(await launched("run")).toMatchObject(expected);
});

it("leaves a user's own variables", async () => {
  expect((await launched("run", { MALLOC_ARENA_MAX: "7" })).arenas).toBe("7");
});

it("has what was compiled fit threads of a worker", async () => {
  // With flags that V8 counts in, threads would compile all of Node's modules and ours, with each start.
  expect((await launched("worker")).tag).toBe((await launched("status")).tag);
});
