import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { expect, it, onTestFinished } from "vitest";

import { until } from "../../support/process/process.ts";
import { temporaryFolder } from "../../support/process/temporary-folder.ts";

const program = fileURLToPath(new URL("../../../bin/sluice.js", import.meta.url));

/** Starts a program as bin/sluice.js does under an old Node, and prints its process id. */
const launcher = `
const { spawn } = require("node:child_process");
const env = { ...process.env, SLUICE_REEXEC: String(process.pid) };
const child = spawn(process.execPath, process.argv.slice(1), { env, stdio: ["ignore", "inherit", "inherit"] });
console.log("child " + child.pid);
`;

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

it("ends, and gives its port back, when its launcher was killed with -9", async () => {
  const folder = await temporaryFolder();
  const args = [program, "sandbox", "--port", "0", "--data", join(folder, "data")];
  const started = spawn(process.execPath, ["-e", launcher, ...args], { cwd: folder });
  onTestFinished(() => void started.kill("SIGKILL"));
  let said = "";
  for (const stream of [started.stdout, started.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => (said += text));
  }
  await until(async () => said.includes("http://127.0.0.1:"));
  const pid = Number(/^child (\d+)$/m.exec(said)?.[1]);
  expect(isThere(pid)).toBe(true);
  onTestFinished(() => {
    if (isThere(pid)) process.kill(pid, "SIGKILL");
  });
  const ended = once(started, "exit");
  started.kill("SIGKILL");
  await ended;
  await until(async () => !isThere(pid));
  expect(isThere(pid)).toBe(false);
}, 60_000);
