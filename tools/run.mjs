// node tools/run.mjs setup | demo | nightly | test | chaos | soak | mutants | prove | bench [arguments]
//
// Plain JavaScript for Node 20, without packages: it runs in an empty clone, before anything is installed.
import { existsSync, mkdtempSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { main, mustRun, run, say, Stop } from "./child.mjs";
import { getChromium } from "./chromium.mjs";
import { closingLine } from "./closing-line.mjs";
import { getDuckdb } from "./duckdb.mjs";
import { getPeers } from "./peers.mjs";
import { getPgBouncer, getPostgres } from "./postgres.mjs";
import { nodeToUse, root, setUp } from "./set-up.mjs";

/** The most that the tests keep in memory at a time, and as much again to spare. */
const memoryBytesMin = 4_000_000_000;

/**
 * Where Node keeps compiled code. The tests start a few thousand threads and processes from source, each of
 * which would strip the types again: a third of their processor time.
 */
const keepCompiled = { NODE_COMPILE_CACHE: join(root, "node_modules", ".cache", "compiled") };

const targets = { setup: async () => 0, demo, nightly, test, chaos, soak, mutants, prove, bench };

/** The programs of targets with arguments of their own; the first comment of each says which. */
const programs = {
  chaos: "test/chaos/main.ts",
  soak: "test/soak/main.ts",
  mutants: "test/mutants/main.ts",
  prove: "prove/prove.ts",
  bench: "bench/bench.ts",
};

await main(async () => {
  const [name = "", ...args] = process.argv.slice(2);
  const target = Object.hasOwn(targets, name) ? targets[name] : undefined;
  if (target === undefined) {
    throw new Stop(`usage: node tools/run.mjs ${Object.keys(targets).join("|")} [arguments]`, 2);
  }
  if (args.includes("--help") && Object.hasOwn(programs, name)) return tellHelp(programs[name]);
  const env = await setUp();
  return await target(args, { cwd: root, env });
});

/** Prints the comment that a program begins with. */
function tellHelp(program) {
  const [comment] = /^(?:\/\/.*\n)+/.exec(readFileSync(join(root, program), "utf8"));
  process.stdout.write(comment.replaceAll(/^\/\/ ?/gm, ""));
  return 0;
}

async function demo(args, options) {
  await getTemporal(options);
  return (await run(nodeToUse(), ["tools/demo.mjs", ...args], options)).code;
}

/** The example with Postgres, two nights in one go. */
async function nightly(args, options) {
  await getTemporal(options);
  await getPostgres(options);
  return (await run(nodeToUse(), ["tools/nightly.mjs", ...args], options)).code;
}

/** Seeds of kills, faults and wrong clocks. */
async function chaos(args, options) {
  // It kills servers of its own, whatever TEMPORAL_ADDRESS says.
  await getTemporal({ ...options, env: { ...options.env, TEMPORAL_ADDRESS: "" } });
  if (args.includes("hosts"))
    await getPostgres({ ...options, env: { ...options.env, PG_URL: "" } });
  return (await run(nodeToUse(), [programs.chaos, ...args], options)).code;
}

/** A worker and a receiver for an hour, with kills and faults. */
async function soak(args, options) {
  const env = { ...options.env, TEMPORAL_ADDRESS: "" };
  await getTemporal({ ...options, env });
  return (await run(nodeToUse(), [programs.soak, ...args], { ...options, env })).code;
}

async function mutants(args, options) {
  const env = { ...options.env, ...keepCompiled };
  return (await run(nodeToUse(), [programs.mutants, ...args], { ...options, env })).code;
}

async function prove(args, options) {
  // It measures on a server of its own, whatever PG_URL says.
  await getPostgres({ ...options, env: { ...options.env, PG_URL: "" } });
  await getPgBouncer(options);
  await getChromium(options);
  await getTemporal(options);
  return (await run(nodeToUse(), [programs.prove, ...args], options)).code;
}

async function bench(args, options) {
  await getTemporal({ ...options, env: { ...options.env, TEMPORAL_ADDRESS: "" } });
  const isAgainst = args.some((arg) => arg.startsWith("--against"));
  const more = isAgainst ? [] : ["--duckdb", await getBeside(options)];
  return (await run(nodeToUse(), [programs.bench, ...more, ...args], options)).code;
}

/** Gets the programs with which the benchmark compares ours; returns where DuckDB is. */
async function getBeside(options) {
  // It measures on a server of its own, whatever PG_URL says.
  await getPostgres({ ...options, env: { ...options.env, PG_URL: "" } });
  await getPeers(options);
  return await getDuckdb(options);
}

/** The everyday tests, or those named; the last line says how many passed and failed. */
async function test(args, options) {
  await getPostgres(options);
  // Tests start and kill servers of their own, whatever TEMPORAL_ADDRESS says.
  await getTemporal({ ...options, env: { ...options.env, TEMPORAL_ADDRESS: "" } });
  say("running the tests");
  const folder = mkdtempSync(join(tmpdir(), "sluice-test-"));
  try {
    const report = join(folder, "report.json");
    const env = {
      ...options.env,
      ...keepCompiled,
      TMPDIR: temporaryFolder(),
    };
    const wanted = args.length === 0 ? ["--project=test"] : args;
    const code = await vitest(report, wanted, { ...options, env });
    process.stdout.write(`${closingLine(report, code)}\n`);
    return code;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A folder in memory, if there is enough: otherwise each of thousands of stores waits for its disk. */
function temporaryFolder() {
  const memory = "/dev/shm";
  if (!existsSync(memory)) return tmpdir();
  const { bavail, bsize } = statfsSync(memory);
  return bavail * bsize >= memoryBytesMin ? memory : tmpdir();
}

async function vitest(report, args, options) {
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const all = ["node_modules/vitest/vitest.mjs", "run", ...reporters, ...args];
  return (await run(nodeToUse(), all, options)).code;
}

/** Finds, downloads or builds the Temporal server now, so that nothing later takes minutes. */
async function getTemporal(options) {
  if (options.env.TEMPORAL_ADDRESS) {
    say(`using the Temporal server at ${options.env.TEMPORAL_ADDRESS} (TEMPORAL_ADDRESS)`);
    return;
  }
  await mustRun(nodeToUse(), ["bin/sluice.js", "temporal", "path"], { ...options, capture: true });
}
