import { Command } from "commander";
import { describe, expect, it, onTestFinished, vi } from "vitest";

import { postgresConfig } from "../../../../connectors/postgres/config.ts";
import { readingOf } from "../../../../connectors/postgres/position.ts";
import { entries } from "../../../../src/cli/help/entries.ts";
import { registerState } from "../../../../src/cli/status/state.ts";
import { readEnvironment } from "../../../../src/config/environment.ts";
import { sendLock } from "../../../../src/state/contract/runs/locks.ts";
import { postgres } from "../../../support/postgres/postgres.ts";
import { inDoubt, overMs, resend, transfer } from "../../../support/project/doubt-story.ts";
import {
  accountsCsv,
  accountsYaml,
  Harness,
  harnessHead,
  harnessKey,
} from "../../../support/project/harness.ts";
import { runVerb } from "../../../support/project/run-verb.ts";
import { rows, stagedRun, TestRun } from "../../../support/project/test-run.ts";
import { PostedHarness } from "../../../support/webhooks/push.ts";

const otherKey = "the-key-of-another-account";
const rotated = accountsYaml().replace("${SLUICE_API_KEY}", otherKey);

/** The output of `sluice state` with these arguments. */
async function said({ folder, sandbox }: Harness, ...words: string[]): Promise<readonly string[]> {
  const lines: string[] = [];
  const environment = readEnvironment({
    SLUICE_BASE_URL: sandbox.address,
    SLUICE_API_KEY: harnessKey,
    CRM_DATABASE_URL: "none",
  });
  const print = (text: string): void => void lines.push(text);
  const context = { print, say: print, exit: () => undefined, cwd: folder, environment };
  const program = new Command();
  registerState(program, context);
  await program.parseAsync(["state", ...words], { from: "user" });
  return lines;
}

const yaml = (url: string): string => `${harnessHead}connections:
  crm: { connector: postgres, url: "${url}" }
syncs:
  accounts:
    from: { connection: crm, table: companies, changed_by: { column: updated_at } }
    stream: account
    record: { account_id: id, domain: domain, account_properties: {} }
`;

/** A project whose five accounts were sent, and whose key has changed. */
async function withOtherKey(): Promise<Harness> {
  const files = { "accounts.csv": accountsCsv(5) };
  const harness = await Harness.open({ yaml: accountsYaml(), files });
  await (await TestRun.open(harness)).transfer();
  return await harness.withYaml(rotated);
}

it("sluice state set takes the position that its help shows, which is one of the table that it names", async () => {
  const harness = await Harness.open({ yaml: yaml("postgres://nobody@localhost/none") });
  const [example = ""] = entries["state set"]?.examples ?? [];
  const [, , ...words] = (example.match(/'[^']*'|"[^"]*"|\S+/g) ?? []).map((word) =>
    word.replace(/^(['"])(.*)\1$/, "$2"),
  );
  expect(await said(harness, ...words)).toEqual(["checkpoint of accounts is now version 1"]);

  const { position } = await harness.deps.state.checkpoint({
    target: harness.deps.target,
    sync: "accounts",
  });
  const read = { table: "companies", changed_by: { column: "updated_at" } };
  const config = postgresConfig.parse({ url: "postgres://nobody@localhost/none", ...read });
  expect(position).toMatchObject({ of: readingOf(config) });
});

describe("sluice state rebind", () => {
  it("takes a rotated key for the same account: nothing is sent again", async () => {
    const harness = await withOtherKey();
    expect(await said(harness, "rebind")).toEqual([
      expect.stringMatching(
        /^sync accounts: key [0-9a-f]{8}… counts as the same account as key [0-9a-f]{8}…$/,
      ),
    ]);
    const { counts } = await (await TestRun.open(harness, { runId: "run-2" })).transfer();
    expect(counts).toMatchObject({ read: 5, unchanged: 5, sent: 0 });
    expect(await said(harness, "rebind", "accounts")).toEqual([
      expect.stringMatching(/^sync accounts: key [0-9a-f]{8}…$/),
    ]);
    expect((await said(harness, "show")).join("\n")).toMatch(/\n {2}key [0-9a-f]{8}…/);
  });

  it("takes another database for the same, and says so of a source that cannot be reached", async () => {
    const [one, other] = [await postgres(), await postgres()];
    const table =
      "create table companies (id text primary key, domain text, updated_at timestamptz)";
    for (const { query } of [one, other])
      await query(`${table};
      alter table companies alter updated_at set not null;
      insert into companies values ('a', 'a.example', now() - interval '2 days')`);
    const harness = await Harness.open({ yaml: yaml(one.url) });
    await (await TestRun.open(harness)).transfer();
    const moved = await harness.withYaml(yaml(other.url));
    const lines = await said(moved, "rebind", "accounts");
    expect(lines[1]).toMatch(/^sync accounts: database .* counts as the same source as database /);
    const { counts } = await (await TestRun.open(moved, { runId: "run-2" })).transfer();
    expect(counts).toMatchObject({ sent: 0 });
    const away = await harness.withYaml(yaml(one.urlOf("nobody", "wrong")));
    expect((await said(away, "rebind")).slice(-2)).toEqual([
      expect.stringContaining("authentication failed"),
      "→ Check user, password and pg_hba.conf.",
    ]);
  });
});

/** The service's refusal that names the first record of a part. */
const oneRefused = {
  detail: [{ loc: ["body", "data", 0, "account_id"], msg: "closed", type: "value_error" }],
};

describe("sluice state reset", () => {
  it("sends everything to the account of another key", async () => {
    const harness = await withOtherKey();
    await said(harness, "reset", "--reason", "another account");
    const { counts } = await (await TestRun.open(harness, { runId: "run-2" })).transfer();
    expect(counts).toMatchObject({ read: 5, sent: 5 });
  });

  it("sends nothing to the other account that was in doubt in the first", async () => {
    const harness = await inDoubt();
    harness.clock.nowMs += overMs;
    const other = await harness.withYaml(rotated);
    const lines = await said(other, "reset", "--reason", "another account");
    expect(lines[0]).toContain("an older value may have been applied over 5 records");
    await harness.write("accounts.csv", "id,domain,name\nb1,b1.example,B\n");
    expect(await resend(other, "run-3")).toMatchObject({ counts: { sent: 0 } });
    expect(await transfer(other, "run-4")).toMatchObject({ counts: { sent: 1 } });
  });

  it("gives up what is in doubt of a sync that is not configured any more", async () => {
    const harness = await inDoubt();
    const { state, target } = harness.deps;
    const elsewhere = { target: "https://elsewhere", sync: "accounts" };
    await harness.withYaml(accountsYaml().replace("  accounts:\n    from", "  others:\n    from"));
    await said(harness, "reset", "accounts", "--target", target, "--reason", "removed");
    expect(await state.doubtfulSyncs({ limit: 9 })).toEqual([]);
    const { target: to } = elsewhere;
    await expect(
      said(harness, "reset", "accounts", "--target", to, "--reason", "removed"),
    ).rejects.toThrow("has no checkpoint of https://elsewhere");
  });

  it("has tried again what the service refused", async () => {
    const run = await stagedRun("reject_limit: { rate: 0%, rows: 0 }");
    const { harness } = run.run;
    harness.sandbox.order("upload-json", { status: 422, body: oneRefused });
    await expect(run.run.send(run.chunk, "body")).rejects.toThrow("reject_limit");
    await run.run.close({ outcome: "failed" });
    await said(harness, "reset", "--reason", "the service is fixed");
    expect(await transfer(harness, "run-2")).toMatchObject({ counts: { sent: rows } });
  });

  it("names a backfill that waited, whose workflow has not heard of it", async () => {
    const harness = await Harness.open({ yaml: accountsYaml() });
    const { state, target, temporalId } = harness.deps;
    const run = { runId: "backfill-1", sync: "accounts", kind: "backfill", target } as const;
    const workflow = { workflowId: "backfill-accounts", firstRunId: "first", temporalId };
    const startedAt = "2026-01-01T00:00:00.000Z";
    await state.openRun({ ...run, ...workflow, configHash: "", request: {}, startedAt });
    expect((await said(harness, "reset", "--reason", "anew")).slice(1)).toEqual([
      expect.stringMatching(/^backfill backfill-1 has ended: `sluice cancel backfill-accounts`/),
    ]);
  });

  it("warns where the events that are kept fill the backlog", async () => {
    const pushed = await PostedHarness.open({ connection: "backlog_max: 2" });
    await pushed.post("a1");
    expect(await said(pushed.harness, "reset", "--reason", "anew")).toHaveLength(1);
    await pushed.post("a2");
    expect((await said(pushed.harness, "reset", "--reason", "anew")).slice(1)).toEqual([
      "2 events of forms are kept, and wait to be sent again: deliveries are answered 503 until fewer than 2 wait",
    ]);
  });

  it("resets the others where one of several is busy, and names that one", async () => {
    const two = accountsYaml();
    const more = two.slice(two.indexOf("  accounts:\n")).replace("accounts", "others");
    const harness = await Harness.open({ yaml: `${two}${more}` });
    const { state, target } = harness.deps;
    const holder = { workflowId: "sync-1", firstRunId: "first", runId: "run-1", kind: "sync" };
    const at = "2026-01-01T00:00:00.000Z";
    await state.takeLock({ name: sendLock(target, "accounts"), ...holder, at });
    const shown = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    onTestFinished(() => shown.mockRestore());
    const { out, code } = await runVerb(registerState, harness, [
      "state",
      "reset",
      "--reason",
      "x",
    ]);
    expect(shown.mock.calls.join("\n")).toContain("sync accounts is held by run run-1");
    expect(out).toEqual(["checkpoint of others is now version 1"]);
    expect(code).toBe(1);
    const alone = said(harness, "reset", "accounts", "--reason", "x");
    await expect(alone).rejects.toThrow("sync accounts is held by run run-1");
  });

  it("asks for a name beside another target: not every sync has a checkpoint there", async () => {
    const harness = await withOtherKey();
    await expect(
      said(harness, "reset", "--target", "elsewhere", "--reason", "moved"),
    ).rejects.toThrow("--target needs the name of a sync");
  });
});
