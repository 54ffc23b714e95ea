import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";

import { expect, it, onTestFinished } from "vitest";

const tool = new URL("../../tools/dev.mjs", import.meta.url).href;

/** Whether processes of these numbers are a `sluice dev`, where there is no `ps`. */
function whichAre(pids: readonly string[]): unknown {
  const code = `import { isDev } from ${JSON.stringify(tool)};
    console.log(JSON.stringify(${JSON.stringify(pids)}.map(isDev)));`;
  const args = ["--input-type=module", "--eval", code];
  const { stdout } = spawnSync(process.execPath, args, { env: { PATH: "" }, encoding: "utf8" });
  return JSON.parse(stdout);
}

it("an example that was kept is noticed where there is no ps, and its folder stays", async () => {
  const args = ["--eval", "console.log(1); setInterval(() => undefined, 1e6)", "--"];
  const children = [["sluice.js", "dev"], ["other.js"]].map((own) => {
    const child = spawn(process.execPath, [...args, ...own], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    return child;
  });
  await Promise.all(children.map(async ({ stdout }) => void (await once(stdout, "data"))));
  const pids = children.map(({ pid }) => String(pid));
  expect(whichAre([...pids, "", "999999999"])).toEqual([true, false, false, false]);
});
