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
  holds: z.string().nullable(),
});

const moving = ["--min-semi-space-size=4", "--max-semi-space-size=4"];

type Launched = z.output<typeof told> & { readonly errors: string };

type How = {
  /** A program that runs it, with its arguments. */
  readonly within?: readonly string[];
  readonly variables?: Readonly<Record<string, string>>;
  readonly nodeFlags?: readonly string[];
};

/** How a command is finally launched. If built, it is refused its last option, so that it does nothing more. */
async function launched(line: string, how: How = {}): Promise<Launched> {
  const preload = join(await temporaryFolder(), "tell.cjs");
  await writeFile(
    preload,
    `const { existsSync, readlinkSync } = require("node:fs");
     const handed = "/proc/self/fd/9";
     process.on("exit", () => process.stdout.write("\\n" + JSON.stringify({
       flags: process.execArgv, arenas: process.env.MALLOC_ARENA_MAX,
       holds: existsSync(handed) ? readlinkSync(handed) : null,
       large: process.env.MALLOC_MMAP_THRESHOLD_, tag: require("node:v8").cachedDataVersionTag() })));`,
  );
  const { NODE_OPTIONS = "", ...variables } = how.variables ?? {};
  const env = {
    ...process.env,
    NODE_OPTIONS: `--require ${preload} ${NODE_OPTIONS}`,
    ...variables,
  };
  const program = [...(how.within ?? []), process.execPath, ...(how.nodeFlags ?? []), bin];
  const [file, ...args] = [...program, ...line.split(" "), "--nope"];
  const child = spawn(file, args, { env });
  const [stdout, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { ...told.parse(JSON.parse(stdout.slice(stdout.lastIndexOf("\n")))), errors };
}

it("runs what moves rows with young generations that do not grow, and one arena", async () => {
  const expected = { flags: moving, arenas: "1", large: "262144" };
  expect(await launched("worker")).toMatchObject(expected);
  expect(await launched("run")).toMatchObject(expected);
});

it("leaves a user's own variables", async () => {
  const variables = { MALLOC_ARENA_MAX: "7", NODE_OPTIONS: "--max_semi_space_size=32" };
  expect(await launched("run", { variables })).toMatchObject({
    flags: [],
    arenas: "7",
    large: "262144",
  });
});

it("has the flags of a user's command line win", async () => {
  const nodeFlags = ["--max-semi-space-size=32"];
  expect((await launched("run", { nodeFlags })).flags).toEqual([...moving, ...nodeFlags]);
});

it("knows a verb behind the options of every command", async () => {
  expect((await launched("-q --color never run")).flags).toEqual(moving);
  expect((await launched("--color=never --no-color worker")).flags).toEqual(moving);
  expect((await launched("status run")).flags).toEqual([]);
});

it("starts once where it only tells its help, or sends one delivery", async () => {
  const help = await launched("run --help");
  expect(help.flags).toEqual([]);
  expect(help).not.toHaveProperty("arenas");
  expect((await launched("webhooks send a.json")).flags).toEqual([]);
  expect((await launched("webhooks")).flags).toContain("--single-threaded-gc");
});

it("goes on without them where Node may start no program", async () => {
  const nodeFlags = ["--permission", "--allow-fs-read=*"];
  const { flags, errors } = await launched("run", { nodeFlags });
  expect(flags).toEqual(nodeFlags);
  expect(errors).not.toContain("execve");
});

it("keeps a lock that it was handed, and a file that its words name", async () => {
  const lock = join(await temporaryFolder(), "lock");
  const handed = ["sh", "-c", 'exec 9>"$0" && flock -n 9 && exec "$@"', lock];
  expect(await launched("worker", { within: handed })).toMatchObject({
    flags: [],
    holds: lock,
  });
  expect((await launched("run --config /dev/fd/9")).flags).toEqual([]);
});

it("has what was compiled fit threads of a worker", async () => {
  // With flags that affect V8's cache tag, threads would compile all of Node's modules and ours at each start.
  expect((await launched("worker")).tag).toBe((await launched("status")).tag);
});
