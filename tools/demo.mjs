// npm run demo [-- --keep]: the example as a user would run it. Starts everything with `sluice dev`, runs both syncs,
// says where to look, and stops everything again unless it is to be kept. tools/run.mjs has set everything up before.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import { main, run, say, Stop } from "./child.mjs";
import { root } from "./set-up.mjs";

const example = join("examples", "csv-to-accounts");
const config = ["--config", join(example, "sluice.yaml")];
const stateFolder = join(root, example, ".sluice");
const demoFolder = join(stateFolder, "demo");
const pidFile = join(demoFolder, "dev.pid");
const readyFile = join(demoFolder, "dev.json");
const logFile = join(demoFolder, "dev.log");

const sluice = (...args) => [join("bin", "sluice.js"), ...args, ...config];
const readyMsMax = 120_000;
const lookEveryMs = 100;
const logLinesShown = 20;

/** `sluice run` ends so when all is sent, and when all is sent but what was rejected: the example has such rows. */
const goodCodes = [0, 3];

// A SLUICE_BASE_URL or key of the real service in the user's shell must not lead made-up companies there.
const env = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !name.startsWith("SLUICE_") || name === "SLUICE_TEMPORAL_CACHE",
  ),
);

const controller = new AbortController();
const stopped = controller.signal;
for (const name of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(name, () => controller.abort(name));

await main(async () => {
  const keep = process.argv.includes("--keep");
  refuseWhenKept();
  rmSync(stateFolder, { recursive: true, force: true });
  const dev = startDev();
  let codes = [];
  try {
    const addresses = await untilReady(dev);
    codes = await runBoth(addresses);
    if (!stopped.aborted) showWhereToLook(addresses, keep);
  } finally {
    if (!keep || stopped.aborted) await stop(dev);
  }
  if (stopped.aborted) throw new Stop(`stopped by ${stopped.reason}`, 130);
  return codes.every((code) => goodCodes.includes(code)) ? 0 : 1;
});

/** A demo that was kept works in the folder that this one is about to empty. */
function refuseWhenKept() {
  if (!existsSync(pidFile)) return;
  const pid = readFileSync(pidFile, "utf8");
  const { stdout } = spawnSync("ps", ["-o", "args=", "-p", pid], { encoding: "utf8" });
  if (!stdout?.includes("sluice.js dev")) return;
  throw new Stop(`the demo kept from before still runs: stop it with  kill ${pid}`);
}

/** In a process group of its own, so that Ctrl-C reaches it only through `stop`, after the run that uses it. */
function startDev() {
  say("starting Temporal, the sandbox and a worker (sluice dev)");
  mkdirSync(demoFolder, { recursive: true, mode: 0o700 });
  const dev = spawn(process.execPath, sluice("dev", "--json"), {
    cwd: root,
    env,
    detached: true,
    // Files, not pipes: what is kept running must not lose its output when we end.
    stdio: ["ignore", openSync(readyFile, "w"), openSync(logFile, "w")],
  });
  writeFileSync(pidFile, String(dev.pid));
  dev.unref();
  return dev;
}

/** The addresses that `sluice dev` prints, as one line of JSON, once everything answers. */
async function untilReady(dev) {
  const giveUpAt = Date.now() + readyMsMax;
  while (!stopped.aborted) {
    const [line, rest] = readFileSync(readyFile, "utf8").split("\n", 2);
    if (rest !== undefined) return JSON.parse(line);
    if (hasEnded(dev) || Date.now() > giveUpAt) {
      const log = readFileSync(logFile, "utf8").trimEnd().split("\n").slice(-logLinesShown);
      throw new Stop(["sluice dev did not come up:", ...log].join("\n"));
    }
    await delay(lookEveryMs);
  }
  return undefined;
}

async function runBoth(addresses) {
  const codes = [];
  for (const sync of ["accounts", "accounts-small"]) {
    if (stopped.aborted) break;
    say(`sluice run ${sync}`);
    const options = {
      cwd: root,
      env: {
        ...env,
        TEMPORAL_ADDRESS: addresses.temporal,
        SLUICE_BASE_URL: addresses.sandbox,
        SLUICE_LEGACY_BASE_URL: addresses.sandbox,
      },
    };
    codes.push((await run(process.execPath, sluice("run", sync), options)).code);
  }
  return codes;
}

function showWhereToLook({ ui, sandbox }, keep) {
  const lines = [
    "",
    "Where to look:",
    `  the rejected rows     node bin/sluice.js rejects list --sync accounts ${config.join(" ")}`,
    `  the reports again     node bin/sluice.js runs list ${config.join(" ")}`,
  ];
  if (keep) {
    lines.push(
      `  the Temporal Web UI   ${ui}`,
      `  what has arrived      ${sandbox}/_sandbox/records?stream=account`,
      `  to stop everything    kill ${readFileSync(pidFile, "utf8")}`,
    );
  } else {
    lines.push(`  the Temporal Web UI   ${ui}, which stays with: npm run demo -- --keep`);
  }
  process.stdout.write(`${lines.join("\n")}\n`);
}

/** `sluice dev` stops what it started before it ends itself. */
async function stop(dev) {
  say("stopping everything");
  if (!hasEnded(dev)) dev.kill("SIGTERM");
  while (!hasEnded(dev)) await delay(lookEveryMs);
  rmSync(pidFile);
}

function hasEnded(child) {
  return child.exitCode !== null || child.signalCode !== null;
}
