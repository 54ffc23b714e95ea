import { type ChildProcess, spawn } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { request } from "undici";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";

import { faultKinds } from "../../../../src/sandbox/faults/faults.ts";
import { end, until, watch, type Watched } from "../../../support/process/process.ts";
import { temporaryFolder } from "../../../support/process/temporary-folder.ts";
import { bin } from "../../../support/project/project.ts";
import { someOf } from "../../../support/trials.ts";

const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
const ready = z.object({ ready: z.literal(true), address: z.string() });

type Running = Watched & { readonly child: ChildProcess };

/** Starts `sluice sandbox` in a folder of its own, with this script. */
async function sandbox(yaml: string, ...options: readonly string[]): Promise<Running> {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, "faults.yaml"), yaml);
  const child = spawn(process.execPath, [bin, "sandbox", "--port", "0", ...options], {
    cwd,
    env: { PATH, HOME, NODE_COMPILE_CACHE },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(async () => await end(child, "SIGTERM"));
  return { child, ...watch(child) };
}

async function ping(address: string): Promise<number> {
  const { statusCode, body } = await request(`${address}/v1/ping`, {
    headers: { authorization: "Basic a2V5Og==" },
  });
  await body.dump();
  return statusCode;
}

describe("sluice sandbox", () => {
  it("misbehaves as its script says", async () => {
    const yaml = "faults: [{ step: ping, do: answer, status: 503, after: 1 }]";
    const { child, printed } = await sandbox(yaml, "--faults", "faults.yaml", "--json");
    const line = await until(async () => {
      if (child.exitCode !== null) throw new Error(`the sandbox ended: ${printed().stderr}`);
      return /^\{.*\}\n/.exec(printed().stdout)?.[0];
    });
    const { address } = ready.parse(JSON.parse(line));
    expect([await ping(address), await ping(address), await ping(address)]).toEqual([
      200, 503, 200,
    ]);
  });

  const mistakes: readonly (readonly [string, RegExp])[] = [
    [
      "faults: [{ step: put, do: nonsense }]",
      /^sluice: faults\.yaml:1:27: must be one of answer, [^\n]+\n.*nonsense.*\n {27,}\^\n$/,
    ],
    ["faults: [{ step: ping, do: reset, at: 1 }]", /^sluice: faults\.yaml:1:18: "reset" is for /],
    ["faults: [{ step: put, do: delay, by: 1 }]", /^sluice: faults\.yaml:1:38: must be a duration/],
  ];
  it.each(someOf(mistakes, 3))("does not start with %s", async (yaml, message) => {
    const { ended } = await sandbox(yaml, "--faults", "faults.yaml");
    const { code, stdout, stderr } = await ended;
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(message);
  });

  it.each([
    ["none.yaml", "sluice: --faults names none.yaml, but there is no such file\n"],
    [".", "sluice: . is not a file\n"],
  ])("does not start with the file %s", async (name, message) => {
    const { ended } = await sandbox("", "--faults", name);
    expect(await ended).toEqual({ code: 2, stdout: "", stderr: message });
  });

  it("lists every fault, for people and for programs", async () => {
    const text = await (await sandbox("", "--list-faults")).ended;
    const json = await (await sandbox("", "--list-faults", "--json")).ended;
    expect([text.code, json.code]).toEqual([0, 0]);
    for (const { name, summary, example } of faultKinds) {
      expect(text.stdout).toContain(`  # ${name} (`);
      expect(text.stdout).toContain(`: ${summary}\n  - ${example}\n`);
    }
    const taken = await sandbox(text.stdout, "--faults", "faults.yaml");
    await until(async () => taken.printed().stdout.startsWith("sandbox at ") || undefined);
    await end(taken.child, "SIGTERM");
    expect((await taken.ended).code).toBe(0);
    const listed = json.stdout.trim().split("\n");
    expect(listed.map((line): unknown => JSON.parse(line))).toEqual(faultKinds);
  });
});
