import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { afterEach, describe, expect, it, vi } from "vitest";

import { configOf } from "../../../../src/cli/output/context.ts";
import { resendMissing } from "../../../../src/cli/verify/resend.ts";
import { registerVerify } from "../../../../src/cli/verify/verify.ts";
import { readEnvironment } from "../../../../src/config/environment.ts";
import { harnessKey, type Harness } from "../../../support/project/harness.ts";
import { accountOf, plantedProject } from "../../../support/project/planted.ts";
import { reportWith } from "../../../support/project/report.ts";
import { runVerb } from "../../../support/project/run-verb.ts";
import { ending, endingWorker } from "../../../support/temporal/ending-worker.ts";
import type { OwnTemporal } from "../../../support/temporal/own-namespace.ts";

afterEach(() => void vi.unstubAllEnvs());

it("a record that is to be sent again stays known where no run can begin", async () => {
  const harness = await plantedProject(2, []);
  harness.sandbox.order("ping", { status: 403 });
  const resend = ["verify", "accounts", "--key", "a0", "--resend", "--yes"];
  await expect(runVerb(registerVerify, harness, resend)).rejects.toThrow("403");
  const { state, target } = harness.deps;
  const known = await state.knownRecords({ target, sync: "accounts", keys: ["a0"] });
  expect(known).toMatchObject([{ state: "accepted" }]);
});

it("records of which older versions follow newer ones are not sent again, and no call is made to say so", async () => {
  const harness = await plantedProject(2, []);
  const yaml = await readFile(join(harness.folder, "sluice.yaml"), "utf8");
  await harness.write(
    "sluice.yaml",
    yaml.replace("path: accounts.csv", "path: accounts.csv, append_only: true"),
  );
  const resend = ["verify", "accounts", "--key", "a0", "--resend", "--yes"];
  await expect(runVerb(registerVerify, harness, resend)).rejects.toMatchObject({
    message: expect.stringContaining("reads versions of its records") as unknown,
    hint: "`sluice state reset accounts` sends all of them again, in order",
  });
  expect(await harness.sandbox.ledger("search")).toEqual([]);
});

/** A planted project of which runs read what changed alone, at a Temporal with a worker that fails each workflow. */
class Unlucky {
  readonly harness: Harness;
  readonly client: OwnTemporal["client"];
  readonly said: string[] = [];
  readonly #environment: ReturnType<typeof readEnvironment>;

  private constructor(harness: Harness, { client, address }: OwnTemporal) {
    this.harness = harness;
    this.client = client;
    this.#environment = readEnvironment({
      TEMPORAL_ADDRESS: address,
      SLUICE_BASE_URL: harness.sandbox.address,
      SLUICE_API_KEY: harnessKey,
      CRM_DATABASE_URL: "none",
    });
  }

  static async open(): Promise<Unlucky> {
    const harness = await plantedProject(2, []);
    const yaml = await readFile(join(harness.folder, "sluice.yaml"), "utf8");
    const changed = "changed_by: { column: at, parameter: since }";
    const api = `connector: http, url: "http://127.0.0.1:9/", ${changed}`;
    await harness.write("sluice.yaml", yaml.replace("connector: csv, path: accounts.csv", api));
    return new Unlucky(harness, await endingWorker(harness, ending.failed("no source")));
  }

  async resend(): Promise<void> {
    const say = (text: string): void => void this.said.push(text);
    const output = { print: say, say, exit: () => undefined };
    const context = { cwd: this.harness.folder, environment: this.#environment, ...output };
    const config = await configOf(context, {});
    const sync = config.syncs.get("accounts");
    if (sync === undefined) throw new Error("the project has no sync accounts");
    const interrupted = new AbortController();
    const of = { config, sync, keys: ["a0"], options: { yes: true }, interrupted };
    await resendMissing(context, of);
  }

  async isKnown(): Promise<boolean> {
    const { state, target } = this.harness.deps;
    const [known] = await state.knownRecords({ target, sync: "accounts", keys: ["a0"] });
    return known?.state === "accepted";
  }
}

describe("a record that a backfill is to send again", () => {
  it("stays known where another backfill of the sync is being planned", async () => {
    const unlucky = await Unlucky.open();
    // It has no run in the store yet, as one that was started in the Web UI a moment ago.
    const options = { taskQueue: "sluice", workflowId: "backfill-accounts", startDelay: "1 hour" };
    await unlucky.client.workflow.start("backfill", { ...options, args: [] });
    await expect(unlucky.resend()).rejects.toMatchObject({
      code: "Busy",
      message: "a backfill of accounts continues already: workflow backfill-accounts",
    });
    expect(await unlucky.isKnown()).toBe(true);
    expect(unlucky.said.join()).not.toContain("given up");
  }, 60_000);

  it("is said to be unknown where that backfill fails, with what sends it", async () => {
    const unlucky = await Unlucky.open();
    await expect(unlucky.resend()).rejects.toThrow("no source");
    expect(await unlucky.isKnown()).toBe(false);
    expect(unlucky.said.at(-1)).toBe(
      "what was known of 1 record is given up: `sluice backfill accounts` sends what is still missing",
    );
  }, 60_000);
});

it("a record that differs counts also where those that were missing are sent again", async () => {
  const { account_properties: properties, ...account } = accountOf(1);
  const changed = { ...account, account_properties: { ...properties, name: "Another" } };
  const harness = await plantedProject(4, [accountOf(0), changed]);
  const { address } = await endingWorker(harness, ending.completed(reportWith()));
  const resendOf = async (...keys: readonly string[]): Promise<[string | undefined, number]> => {
    const named = keys.flatMap((key) => ["--key", key]);
    const resend = ["verify", "accounts", ...named, "--resend", "--yes"];
    const at = { folder: harness.folder, sandbox: harness.sandbox, temporalAddress: address };
    const { out, code } = await runVerb(registerVerify, at, resend);
    return [out.at(-1)?.trim().split(" in ")[0], code];
  };
  expect(await resendOf("a0", "a2")).toEqual(["accounts: done", 0]);
  expect(await resendOf("a1", "a3")).toEqual(["accounts: done", 3]);
}, 60_000);
