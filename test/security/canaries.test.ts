import { spawn } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { ApplicationFailure } from "@temporalio/common";
import { describe, expect, it, onTestFinished } from "vitest";

import {
  canaries,
  canariesIn,
  evidenceVariable,
  keepFolder,
  refuseCanaries,
} from "../support/canaries.ts";
import { watch } from "../support/process/process.ts";
import { temporaryFolder } from "../support/process/temporary-folder.ts";
import { accountsCsv, accountsYaml, Harness } from "../support/project/harness.ts";
import { accountsCsv as projectCsv } from "../support/project/project.ts";

const planted = [
  ["API key", `x-api-key: ${canaries.apiKey}`],
  ["API key", `Basic ${Buffer.from(`${canaries.apiKey}:`).toString("base64")}`],
  ["database password", canaries.databaseUrl],
  ["signature", "https://storage.example/x?expires=1&signature=0a1b"],
  ["cell", accountsCsv(2)],
  ["cell", projectCsv(2)],
] as const;

/** Keeps what a test plants out of the search after the suite. */
function apartFromTheSuite(): void {
  const folder = process.env[evidenceVariable];
  delete process.env[evidenceVariable];
  onTestFinished(() => {
    if (folder !== undefined) process.env[evidenceVariable] = folder;
  });
}

describe("the search for canaries (T11)", () => {
  it.each(planted)("finds a planted %s, in base64 too", (kind, text) => {
    expect(canariesIn(text)).toEqual([kind]);
    const payload = { data: Buffer.from(text).toString("base64") };
    expect(canariesIn(JSON.stringify(payload))).toEqual([kind]);
    expect(() => refuseCanaries({ what: "it", text })).toThrow(
      `it holds a secret or a row: ${kind}`,
    );
    expect(() => refuseCanaries({ what: "it", text, mayHold: [kind] })).not.toThrow();
  });

  it("finds nothing in what is fit to be shown", () => {
    expect(
      canariesIn("PUT http://127.0.0.1/[signed]: 403, company-1.example, api_key, accounts.csv:12"),
    ).toEqual([]);
  });

  it.each([
    ["stdout", "log"],
    ["stderr", "error"],
  ])("fails the test of a program that prints one on %s", async (_stream, method) => {
    apartFromTheSuite();
    const script = `console.${method}(process.env.LEAK)`;
    const env = { LEAK: canaries.databaseUrl };
    const child = spawn(process.execPath, ["--eval", script], { env });
    await expect(watch(child).ended).rejects.toThrow("holds a secret or a row: database password");
  });

  it("fails the test of a program that has one in its title", async () => {
    apartFromTheSuite();
    const child = spawn(process.execPath, ["--eval", "", canaries.apiKey]);
    await expect(watch(child).ended).rejects.toThrow("a process title holds");
  });

  it.each(["temporal.log", "temporal.db", "sandbox.log", "state.db"])(
    "looks into %s of a project",
    async (name) => {
      apartFromTheSuite();
      const folder = await temporaryFolder();
      await mkdir(join(folder, ".sluice"));
      const bytes = Buffer.concat([Buffer.from([0, 255]), Buffer.from(canaries.apiKey)]);
      await writeFile(join(folder, ".sluice", name), bytes);
      await expect(keepFolder(folder)).rejects.toThrow(`.sluice/${name} holds`);
    },
  );

  it.each([
    ["input", { text: canaries.apiKey }],
    ["result", {}],
    ["failure", {}],
  ])("looks at the %s of an activity", async (what, input) => {
    const harness = await Harness.open({ yaml: accountsYaml() });
    const leaking = async (): Promise<unknown> => {
      if (what === "failure") {
        throw ApplicationFailure.create({
          message: "x",
          details: [{ hint: canaries.databaseUrl }],
        });
      }
      return { text: what === "result" ? canaries.databaseUrl : "" };
    };
    await expect(harness.perform(leaking, input)).rejects.toThrow(
      `the ${what} of an activity holds a secret or a row`,
    );
  });
});
