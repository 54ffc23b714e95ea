import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { defaultPayloadConverter } from "@temporalio/common";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";

import { configOf } from "../../../../src/cli/output/context.ts";
import { resendMissing } from "../../../../src/cli/verify/resend.ts";
import { registerVerify } from "../../../../src/cli/verify/verify.ts";
import { readEnvironment } from "../../../../src/config/environment.ts";
import { workerIdentity } from "../../../../src/local/presence.ts";
import { harnessKey, type Harness } from "../../../support/project/harness.ts";
import { accountOf, plantedProject } from "../../../support/project/planted.ts";
import { reportWith } from "../../../support/project/report.ts";
import { runVerb } from "../../../support/project/run-verb.ts";
import { ownNamespace } from "../../../support/temporal/own-namespace.ts";

/** Temporal's numbers for the commands that end a workflow, with and without a result. */
const [completeWorkflow, failWorkflow] = [4, 5];

/** Temporal's number for a query that a worker could not answer. */
const queryFailed = 2;

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

type Own = Awaited<ReturnType<typeof ownNamespace>>;

type Commands = NonNullable<
  Parameters<Own["client"]["workflowService"]["respondWorkflowTaskCompleted"]>[0]["commands"]
>;

/** Gives a project a Temporal with a worker that ends each workflow with these commands, until the test is over. */
async function worked(harness: Harness, commands: Commands): Promise<Own> {
  const own = await ownNamespace(harness.folder);
  vi.stubEnv("TEMPORAL_ADDRESS", own.address);
  vi.stubEnv("TEMPORAL_NAMESPACE", own.namespace);
  const { namespace } = own;
  const { workflowService } = own.client;
  const identity = workerIdentity({ storeId: harness.state.storeId, folder: undefined });
  const taskQueue = { name: "sluice" };
  const work = async (): Promise<void> => {
    try {
      for (;;) {
        const poll = { namespace, taskQueue, identity };
        const { taskToken, query } = await workflowService.pollWorkflowTaskQueue(poll);
        if (taskToken.length === 0) continue;
        if (query !== null && query !== undefined) {
          const answer = { completedType: queryFailed, errorMessage: "it has no plan" };
          // Whoever asked may be gone.
          await workflowService
            .respondQueryTaskCompleted({ namespace, taskToken, ...answer })
            .catch(() => undefined);
          continue;
        }
        await workflowService
          .respondWorkflowTaskCompleted({ namespace, taskToken, identity, commands })
          .catch(() => undefined);
      }
    } catch {
      // The test is over.
    }
  };
  const polling = async (): Promise<void> =>
    await own.client.withDeadline(Date.now() + 60_000, work);
  const over = new AbortController();
  const working = own.client.withAbortSignal(over.signal, polling);
  onTestFinished(async () => {
    over.abort();
    await working;
    await own.close();
  });
  return own;
}

/** A planted project of which runs read what changed alone, at a Temporal with a worker that fails each workflow. */
class Unlucky {
  readonly harness: Harness;
  readonly client: Own["client"];
  readonly said: string[] = [];
  readonly #environment: ReturnType<typeof readEnvironment>;

  private constructor(harness: Harness, { client, address }: Own) {
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
    const failed = { failure: { message: "no source" } };
    const own = await worked(harness, [
      { commandType: failWorkflow, failWorkflowExecutionCommandAttributes: failed },
    ]);
    return new Unlucky(harness, own);
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
  const completed = { result: { payloads: [defaultPayloadConverter.toPayload(reportWith())] } };
  const { address } = await worked(harness, [
    {
      commandType: completeWorkflow,
      completeWorkflowExecutionCommandAttributes: completed,
    },
  ]);
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
