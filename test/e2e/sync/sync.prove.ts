import { WorkflowFailedError } from "@temporalio/client";
import { METADATA_ENCODING_KEY, RawValue } from "@temporalio/common";
import { describe, expect, it, onTestFinished } from "vitest";

import { until } from "../../support/process/process.ts";
import { accountsConfig, accountsCsv, Project } from "../../support/project/project.ts";

const timeoutMs = 240_000;

/** An input as written by another client. */
function rawInput(text: string): RawValue {
  const metadata = { [METADATA_ENCODING_KEY]: Buffer.from("json/plain") };
  return RawValue.fromPayload({ metadata, data: Buffer.from(text) });
}

describe("workflow sync", () => {
  it(
    "ends as busy while another run holds the sync, and says which",
    async () => {
      const project = await Project.start(onTestFinished, {
        "sluice.yaml": accountsConfig(),
        "accounts.csv": accountsCsv(10),
      });
      await project.worker();
      project.sandbox.order({ step: "upload-json", do: { delayMs: 60_000 } });
      const first = await project.start({ sync: "accounts" }, "first");
      const [run] = await until(async () => {
        const runs = await project.state.runs({ limit: 1 });
        return runs[0] !== undefined && runs;
      });
      await until(
        async () => await project.state.lockHolder("sync accounts to " + (run?.target ?? "")),
      );
      const second = await (await project.start({ sync: "accounts" }, "second")).result();
      expect(second.outcome).toBe("busy");
      expect(second.error?.message).toContain(run?.runId);
      expect((await project.sluice("run", "accounts")).stderr).toContain(run?.runId);
      expect((await project.sluice("state", "reset", "accounts", "--reason", "no")).code).toBe(1);
      await first.cancel();
      await expect(first.result()).rejects.toThrow(WorkflowFailedError);
    },
    timeoutMs,
  );

  it(
    "refuses an input that is not JSON, as Python writes infinity, and does not wait for another one",
    async () => {
      const project = await Project.start(onTestFinished, { "sluice.yaml": accountsConfig() });
      await project.worker();
      const handle = await project.start(rawInput('{"sync":"accounts","limit":Infinity}'));
      await expect(handle.result()).rejects.toMatchObject({
        cause: { type: "InvalidInput", nonRetryable: true },
      });
      await expect(handle.result()).rejects.toHaveProperty(
        "cause.message",
        expect.stringContaining("it is not JSON"),
      );
    },
    timeoutMs,
  );

  it.each([
    [{ syncs: "accounts" }, 'Unrecognized key: "syncs"'],
    [{ sync: "accounts", limit: -1 }, '{"sync":"accounts","limit":1000}'],
    [{ sync: "__proto__" }, "the name of a sync"],
    [["accounts"], "expected object"],
  ])(
    "refuses the input %j at once, with a corrected example",
    async (input, text) => {
      const project = await Project.start(onTestFinished, {
        "sluice.yaml": accountsConfig(),
        "accounts.csv": accountsCsv(1),
      });
      await project.worker();
      const handle = await project.start(input);
      await expect(handle.result()).rejects.toMatchObject({
        cause: {
          type: "InvalidInput",
          nonRetryable: true,
        },
      });
      await expect(handle.result()).rejects.toHaveProperty(
        "cause.message",
        expect.stringContaining(text),
      );
    },
    timeoutMs,
  );

  it(
    "shows its progress as a query and its report as the result and in the details",
    async () => {
      const project = await Project.start(onTestFinished, {
        "sluice.yaml": accountsConfig(),
        "accounts.csv": `${accountsCsv(10)}a10,not a domain,X,1\n`,
      });
      await project.worker();
      const handle = await project.start({ sync: "accounts" });
      const report = await handle.result();
      expect(report).toMatchObject({
        outcome: "done_with_rejects",
        mode: "lightweight",
        counts: { read: 11, sent: 10, rejected: 1 },
        balanced: true,
        reject_reasons: [{ code: "not_domain", count: 1, example: "./accounts.csv:12" }],
      });
      expect(await handle.query("progress")).toMatchObject({ report });
      const { currentDetails } = await handle.query<{ currentDetails: string }>(
        "__temporal_workflow_metadata",
      );
      expect(currentDetails).toContain("done with rejects");
      expect(currentDetails).toContain("./accounts.csv:12");
    },
    timeoutMs,
  );

  it(
    "continues after the last line of an append-only file",
    async () => {
      const yaml = accountsConfig().replace("accounts.csv }", "accounts.csv, append_only: true }");
      const project = await Project.start(onTestFinished, {
        "sluice.yaml": yaml,
        "accounts.csv": accountsCsv(3),
      });
      await project.worker();
      const run = async (): Promise<object> =>
        (await (await project.start({ sync: "accounts" })).result()).counts;
      expect(await run()).toMatchObject({ read: 3, sent: 3 });
      await project.write("accounts.csv", `${accountsCsv(5)}a5,c5.example,half a l`);
      expect(await run()).toMatchObject({ read: 2, sent: 2 });
      await project.write("accounts.csv", accountsCsv(6).replace(",Company 5,", ",half a line,"));
      expect(await run()).toMatchObject({ read: 1, sent: 1 });
      expect((await project.records()).get("a5")).toContain("half a line");
    },
    timeoutMs,
  );

  it(
    "waits out a 429 to the second, says so meanwhile, and stops at once without credits or with a refused key",
    async () => {
      const project = await Project.start(onTestFinished, {
        "sluice.yaml": accountsConfig(),
        "accounts.csv": accountsCsv(3),
      });
      await project.worker();
      const limited = {
        status: 429,
        headers: { "retry-after": "10" },
        body: { message: "slow down" },
      };
      project.sandbox.order({ step: "upload-json", do: limited });
      const slow = await project.sluice("run", "accounts");
      expect(slow.code).toBe(0);
      expect(slow.stderr).toContain("slow down");
      const [first, second] = (await project.ledger()).filter(({ step }) => step === "upload-json");
      expect(Date.parse(second?.t ?? "") - Date.parse(first?.t ?? "")).toBeGreaterThanOrEqual(
        10_000,
      );

      await project.write("accounts.csv", accountsCsv(4));
      const spent = { status: 429, body: { message: "credits exhausted" } };
      project.sandbox.order({ step: "upload-json", do: spent });
      for (let run = 0; run < 2; run++) {
        const ended = await project.sluice("run", "accounts", "--json");
        expect(ended.code).toBe(1);
        expect(JSON.parse(ended.stdout)).toMatchObject({ outcome: "credits_exhausted" });
      }
      // The second run made no request.
      expect((await project.ledger()).filter(({ step }) => step === "upload-json")).toHaveLength(3);
      expect((await project.sluice("rate-limit", "show")).stdout).toContain("credits exhausted");
      expect((await project.sluice("rate-limit", "reset")).code).toBe(0);

      project.sandbox.order({ step: "ping", do: { status: 401, body: { message: "no" } } });
      const refused = await project.sluice("run", "accounts");
      expect(refused.code).toBe(2);
      expect(refused.stderr).toContain("api.api_key");
    },
    timeoutMs,
  );
});
