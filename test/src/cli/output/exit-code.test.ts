import { spawn } from "node:child_process";
import { once } from "node:events";
import { text as textOf } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

import { expect, it, vi } from "vitest";

import {
  exitCodeOfError,
  exitCodeOfReport,
  exitCodes,
  keepWorst,
} from "../../../../src/cli/output/exit-code.ts";
import { oneByOne } from "../../../../src/cli/output/one-by-one.ts";
import { showError } from "../../../../src/cli/output/output.ts";
import { ConfigError } from "../../../../src/errors.ts";
import {
  accountsCsv,
  accountsYaml,
  Harness,
  harnessKey,
} from "../../../support/project/harness.ts";
import { reportWith } from "../../../support/project/report.ts";

const main = fileURLToPath(new URL("../../../../src/cli/main.ts", import.meta.url));

it("keeps the worst exit code, whichever came last", () => {
  const ended: number[] = [];
  const { exit } = keepWorst({ exit: (code: number) => void ended.push(code) });
  for (const code of [0, 3, 0, 5, 1, 3, 2, 1, 4, 130, 0]) exit(code);
  expect(ended).toEqual([0, 3, 3, 5, 1, 1, 2, 2, 4, 130, 130]);
});

it("tells a run that waits for somebody's consent from one that failed", () => {
  expect(exitCodeOfReport(reportWith({ outcome: "held" }))).toBe(5);
  expect(exitCodeOfReport(reportWith({ outcome: "discarded" }))).toBe(1);
});

it("does the others where one of several fails, and throws where it is the only one", async () => {
  const ended: number[] = [];
  const done: string[] = [];
  const how = { context: { exit: (code: number) => void ended.push(code) }, options: {} };
  const work = async (name: string): Promise<void> => {
    if (name === "bad") throw new ConfigError("it is wrong");
    done.push(name);
  };
  await oneByOne(["a", "bad", "b"], how, work);
  expect([done, ended]).toEqual([["a", "b"], [exitCodes.usage]]);
  await expect(oneByOne(["bad"], how, work)).rejects.toThrow("it is wrong");
});

it("tells what failed first, not what closing threw on top of it", async () => {
  const thrown: unknown = await (async () => {
    await using closing = new AsyncDisposableStack();
    closing.defer(() => {
      throw new Error("it cannot be closed");
    });
    throw new ConfigError("it is wrong", { hint: "mend it" });
  })().catch((error: unknown) => error);
  const write = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  showError(thrown, { isJson: false });
  const told = write.mock.calls.map(([text]) => text);
  write.mockRestore();
  expect([told, exitCodeOfError(thrown)]).toEqual([
    ["sluice: it is wrong\n  → mend it\n"],
    exitCodes.usage,
  ]);
});

it("ends a command with the worst code, also where its last sync fails by an error", async () => {
  const harness = await Harness.open({
    yaml: `${accountsYaml().replace("syncs:", "  gone: { connector: csv, path: gone.csv }\nsyncs:")}  lost:
    from: gone
    stream: account
    record: { account_id: id, domain: domain, account_properties: {} }
`,
    files: { "accounts.csv": accountsCsv(1) },
  });
  harness.sandbox.order("ping", { status: 400 });
  const { folder, sandbox } = harness;
  const keys = { SLUICE_BASE_URL: sandbox.address, SLUICE_API_KEY: harnessKey };
  const env = { PATH: process.env["PATH"], CRM_DATABASE_URL: "none", ...keys };
  const child = spawn(process.execPath, [main, "run", "lost", "accounts"], { cwd: folder, env });
  const [told, ended] = await Promise.all([textOf(child.stderr), once(child, "exit")]);
  expect(told).toMatch(/gone\.csv[^]*400/);
  expect(ended).toEqual([exitCodes.usage, null]);
});
