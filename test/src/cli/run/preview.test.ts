import { readdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, it } from "vitest";
import { z } from "zod";

import { registerPreview } from "../../../../src/cli/run/preview.ts";
import { inboxFileIn } from "../../../../src/inbox/file.ts";
import { canaries } from "../../../support/canaries.ts";
import { accountsYaml, Harness } from "../../../support/project/harness.ts";
import { runVerb, type Shown } from "../../../support/project/run-verb.ts";
import { TestRun } from "../../../support/project/test-run.ts";
import { KeptEvents } from "../../../support/webhooks/kept-events.ts";

const header = "id,domain,name";
const before = `${header}\na,a.example,A\nb,b.example,B\n`;
const after = `${header}\na,a.example,A\nb,x.example,Bo\nc,c.example,C\nd,,D\n`;

const formsYaml = `version: 1
api:
  base_url: \${SLUICE_BASE_URL}
  legacy_base_url: \${SLUICE_BASE_URL}
  api_key: \${SLUICE_API_KEY}
connections:
  forms: { connector: webhook, path: /hooks/forms, secret: ${canaries.webhookSecret} }
syncs:
  accounts:
    from: forms
    stream: account
    record: { account_id: data.id, domain: { value: a.example }, account_properties: {} }
`;

const keyed = z.looseObject({ account_id: z.string() });

/** Runs `sluice preview accounts` in the harness's project. */
async function preview(harness: Harness, ...args: readonly string[]): Promise<Shown> {
  return await runVerb(registerPreview, harness, ["preview", "accounts", ...args]);
}

const shown = z.looseObject({ key: z.string(), status: z.string(), would_send: z.boolean() });

/** Key, status and whether it would be sent, from the output of `--json`. */
function statuses({ out }: Shown): unknown[] {
  return out
    .map((line) => shown.safeParse(JSON.parse(line)).data)
    .flatMap((one) => (one === undefined ? [] : [[one.key, one.status, one.would_send]]));
}

/** A project whose run over `before` was accepted, and which now holds `after`. */
async function synced(...sync: readonly string[]): Promise<Harness> {
  const yaml = accountsYaml(...sync);
  const harness = await Harness.open({ yaml, files: { "accounts.csv": before } });
  await (await TestRun.open(harness)).transfer();
  await harness.write("accounts.csv", after);
  return harness;
}

describe("sluice preview", () => {
  it("says what is new, what changed and in which fields, and what is not sent", async () => {
    const harness = await synced();
    const { said, out, code } = await preview(harness);
    const at = new Date(harness.clock.nowMs).toISOString();
    expect(said).toEqual([
      `accounts.csv:2 (a): unchanged since ${at}, not sent`,
      `accounts.csv:3 (b): changed since ${at}: domain, account_properties.name`,
      "accounts.csv:4 (c): new",
      "accounts.csv:5: rejected: domain is required, and empty",
    ]);
    expect(out[1]).toBe(
      '{"type":"account","account_id":"b","domain":"x.example","account_properties":{"name":"Bo"}}',
    );
    expect([out.length, code]).toEqual([3, 3]);
  });

  it("says it as JSON, a line each", async () => {
    const harness = await synced();
    const { out } = await preview(harness, "--json", "-n", "2");
    const accepted_at = new Date(harness.clock.nowMs).toISOString();
    expect(out.map((line): unknown => JSON.parse(line))).toMatchObject([
      { place: "accounts.csv:2", key: "a", status: "unchanged", accepted_at, would_send: false },
      { key: "b", status: "changed", changed_fields: ["domain", "account_properties.name"] },
    ]);
  });

  it("shows the rows that are asked for by name", async () => {
    const harness = await synced();
    const args = ["--json", "--key", "accounts.csv:4", "--key", "b"];
    const { out } = await preview(harness, ...args);
    expect(out.map((line): unknown => JSON.parse(line))).toMatchObject([
      { place: "accounts.csv:4", key: "c", status: "new", would_send: true },
      { place: "b", reject: { code: "row_gone" } },
    ]);
  });

  it.each(["accounts.csv", "./accounts.csv"])(
    "takes a file's name with ./ and without, where it is configured as %s",
    async (path) => {
      const yaml = accountsYaml().replace("path: accounts.csv", `path: ${path}`);
      const harness = await Harness.open({ yaml, files: { "accounts.csv": after } });
      for (const key of ["accounts.csv:4", "./accounts.csv:4"]) {
        const { out } = await preview(harness, "--json", "--key", key);
        expect(out.map((line): unknown => JSON.parse(line))).toMatchObject([
          { place: `${path}:4`, key: "c" },
        ]);
      }
      const { out } = await preview(harness, "--json", "--key", "../accounts.csv:4");
      expect(out.join()).toContain("row_gone");
    },
  );

  it("says of a row that is not there how rows are named, and rejects nothing", async () => {
    const { out, said, code } = await preview(await synced(), "--key", "999");
    expect([out, said, code]).toEqual([
      [],
      [expect.stringMatching(/^no row 999 → a row is named by its key, in a file by its line /)],
      2,
    ]);
  });

  it("says which setting reads a file of another encoding", async () => {
    const harness = await synced();
    const latin = Buffer.from("id,domain,name\na,a.example,Café\n", "latin1");
    await writeFile(join(harness.folder, "accounts.csv"), latin);
    const { said, code } = await preview(harness);
    expect(said).toEqual([
      expect.stringMatching(/^accounts\.csv:2: rejected: byte \d+ is not utf-8$/),
      expect.stringContaining("`encoding: windows-1252`"),
    ]);
    expect(code).toBe(3);
  });

  it("shows the events of an inbox, first ones or single ones", async () => {
    const harness = await Harness.open({ yaml: formsYaml });
    const events = new KeptEvents(inboxFileIn(harness.deps.config.stateFolder));
    events.keep("forms", '{"data":{"id":"a"}}', "0", '{"data":{"id":"b"}}', '{"data":{"id":"c"}}');
    const first = await preview(harness, "-n", "3");
    expect(first.out.map((line) => keyed.parse(JSON.parse(line)).account_id)).toEqual(["a", "b"]);
    expect(first.said).toContain("forms#2: rejected: the event is not a JSON object");
    const single = await preview(harness, "--json", "--key", "forms#4", "--key", "forms#5");
    expect(single.out.map((line): unknown => JSON.parse(line))).toMatchObject([
      { place: "forms#4", key: "c", status: "new", would_send: true },
      { place: "forms#5", reject: { code: "row_gone" } },
    ]);
  });

  it("says of an inbox that nothing came into that there is no row to show", async () => {
    const harness = await Harness.open({ yaml: formsYaml });
    const { out, said, code } = await preview(harness);
    expect([out, said, code]).toEqual([[], ["accounts: there is no row to show"], 0]);
    expect((await preview(harness, "--json")).said).toEqual([]);
  });

  it("says of a second row of a key that a run rejects it, as the run does", async () => {
    const harness = await synced();
    await harness.write("accounts.csv", `${before}a,other.example,Other\n`);
    const said = "accounts.csv:4: rejected: same key as an earlier row";
    const { out, said: first, code } = await preview(harness);
    expect([out.length, first.at(-1), code]).toEqual([2, said, 3]);
    const alone = async (): Promise<Shown> => await preview(harness, "--key", "accounts.csv:4");
    // A single row does not show the rows before it, until a run has met both.
    expect((await alone()).out).toHaveLength(1);
    const { counts } = await (await TestRun.open(harness, { runId: "run-2" })).transfer();
    expect(counts).toMatchObject({ sent: 0, unchanged: 2, rejected: 1 });
    expect(await alone()).toEqual({ out: [], said: [said], code: 3 });
    const { out: facts } = await preview(harness, "--json");
    expect(JSON.parse(facts.at(-1) ?? "")).toMatchObject({ reject: { code: "duplicate_key" } });
    await harness.withYaml(accountsYaml("duplicate_keys: send"));
    expect((await preview(harness)).out).toHaveLength(3);
  });

  it("says how many rows the mapping leaves out", async () => {
    const yaml = accountsYaml().replace(/record:[^]*$/, "record: ./map.mjs\n");
    const files = { "accounts.csv": before, "map.mjs": "export const mapRecord = () => null;\n" };
    const { out, said } = await preview(await Harness.open({ yaml, files }));
    expect([out, said]).toEqual([[], ["accounts: the mapping leaves out 2 rows"]]);
  });

  it("says that nothing is known of what was staged and not accepted", async () => {
    const harness = await synced();
    const run = await TestRun.open(harness, { runId: "run-2" });
    await run.stage();
    expect(statuses(await preview(harness, "--json"))).toEqual([
      ["a", "unchanged", false],
      ["b", "unknown", true],
      ["c", "unknown", true],
    ]);
    await run.close({ outcome: "failed" });
    await harness.state.forgetFingerprints({ target: harness.deps.target, sync: "accounts" });
    expect(statuses(await preview(harness, "--json"))).toEqual([
      ["a", "unknown", true],
      ["b", "unknown", true],
      ["c", "unknown", true],
    ]);
  });

  it("says that what is unchanged is sent all the same where the sync asks for it", async () => {
    const harness = await synced("resend_after: 1h");
    const other = await harness.withYaml(accountsYaml("send: all"));
    expect(statuses(await preview(other, "--json", "-n", "1"))).toEqual([["a", "unchanged", true]]);
    await harness.withYaml(accountsYaml("resend_after: 3650d"));
    expect(statuses(await preview(harness, "--json", "-n", "1"))).toEqual([
      ["a", "unchanged", false],
    ]);
    // The harness's clock is years behind the command's.
    await harness.withYaml(accountsYaml("resend_after: 1h"));
    expect((await preview(harness, "-n", "1")).said[0]).toContain("sent again as the sync asks");
  });

  it("neither waits for a run nor leaves a trace of itself", async () => {
    const harness = await synced();
    const run = await TestRun.open(harness, { runId: "run-2" });
    const looked = async (): Promise<unknown> => ({
      checkpoint: await harness.state.checkpoint({ target: harness.deps.target, sync: "accounts" }),
      runs: await harness.state.runs({ limit: 10 }),
      known: await harness.state.knownRecords({
        target: harness.deps.target,
        sync: "accounts",
        keys: ["a", "b", "c"],
      }),
    });
    const atFirst = await looked();
    expect((await preview(harness)).out).toHaveLength(3);
    expect(await looked()).toEqual(atFirst);
    expect((await run.transfer()).counts).toMatchObject({ sent: 2, unchanged: 1, rejected: 1 });
  });

  it("takes a state folder that nobody can look into for none that is empty", async () => {
    const harness = await synced();
    // As if this user had no right to it; root always has.
    await symlink("loop", join(harness.folder, "loop"));
    await harness.withYaml(`${accountsYaml()}state: loop\n`);
    await expect(preview(harness)).rejects.toMatchObject({
      message: expect.stringMatching(/the state store .*loop/) as unknown,
    });
  });

  it("makes no state store where none is", async () => {
    const harness = await synced();
    const folder = join(harness.folder, "elsewhere");
    await harness.withYaml(`${accountsYaml()}state: elsewhere\n`);
    const { said, out } = await preview(harness, "-n", "3");
    expect([said, out.length]).toEqual([[], 3]);
    await expect(readdir(folder)).rejects.toThrow("ENOENT");
  });
});
