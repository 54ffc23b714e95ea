import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { gzipSync } from "node:zlib";

import { assert, describe, expect, it, onTestFinished } from "vitest";

import { forgetIn, registerForget } from "../../../../src/cli/forget/forget.ts";
import { inboxFileIn } from "../../../../src/inbox/file.ts";
import { openInbox } from "../../../../src/inbox/open.ts";
import { recordDepthMax } from "../../../../src/records/json-value.ts";
import { atTerminal, interruptAtQuestion } from "../../../support/process/terminal.ts";
import { accountsYaml, Harness } from "../../../support/project/harness.ts";
import { heldNight } from "../../../support/project/held-night.ts";
import { runVerb, type Shown } from "../../../support/project/run-verb.ts";
import { TestRun } from "../../../support/project/test-run.ts";

const canary = "canary-5b91";

async function forget(harness: Harness, ...args: readonly string[]): Promise<Shown> {
  return await runVerb(registerForget, harness, ["forget", ...args]);
}

/** The paths of a folder's files that hold a text, byte by byte, also inside gzip. */
async function filesWith(folder: string, text: string): Promise<readonly string[]> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = names
    .filter((name) => name.isFile())
    .map((file) => join(file.parentPath, file.name));
  const found: string[] = [];
  for (const file of files) {
    const bytes = await readFile(file);
    if (bytes.includes(text) || file.endsWith(".gz")) found.push(file);
  }
  return found;
}

async function kept(harness: Harness): Promise<readonly string[]> {
  return await filesWith(harness.deps.config.stateFolder, canary);
}

const yaml = `${accountsYaml("pii: { rejects: keep }").replace(
  "syncs:",
  "  forms: { connector: webhook, path: /hooks/forms, secret: a-secret-that-is-long-enough-for-it }\nsyncs:",
)}  signups:
    from: forms
    stream: contact
    record: { contact_id: id, email: mail, contact_properties: { name: name } }
`;

function event(id: string, more: object): string {
  return JSON.stringify({ id, mail: "a@b.example", ...more });
}

/** A project that has sent a row of the key, and rejected another and an unreadable one. */
async function withRows(): Promise<Harness> {
  const rows = [`${canary},a.example,A`, "b,b.example,B", `${canary},c.example,C`, `${canary},d`];
  const harness = await Harness.open({
    yaml,
    files: { "accounts.csv": ["id,domain,name", ...rows, ""].join("\n") },
  });
  await (await TestRun.open(harness)).transfer();
  return harness;
}

/** A project with one event in the inbox, of the key. */
async function withEvent(): Promise<Harness> {
  const harness = await Harness.open({ yaml, files: { "accounts.csv": "id,domain,name\n" } });
  const inbox = await openInbox(harness.deps.config);
  await inbox.keep({ connection: "forms", events: [{ json: event(canary, { name: "A" }) }] });
  await inbox.close();
  return harness;
}

/** Forgets a key beside a drain that begins once the key is erased, and its payloads are not. */
async function forgetBeside(
  harness: Harness,
  drain: (run: TestRun) => Promise<void>,
): Promise<unknown> {
  const { config, state } = harness.deps;
  const sync = config.syncs.get("signups");
  assert(sync !== undefined);
  let isBegun = false;
  const eraseKey: typeof state.eraseKey = async (input) => {
    const erased = await state.eraseKey(input);
    if (isBegun) return erased;
    isBegun = true;
    await drain(await TestRun.open(harness, { kind: "inbox", sync: "signups" }));
    return erased;
  };
  return await forgetIn({ ...state, eraseKey }, { config, sync, key: canary });
}

describe("sluice forget", () => {
  it("leaves nothing of a key in any byte of the state folder", async () => {
    const harness = await withRows();
    const { config, state, target } = harness.deps;
    const staged = join(harness.deps.stagingFolder, "run-1");
    await mkdir(staged, { recursive: true });
    const line = `{"type":"account","account_id":"${canary}"}\n`;
    await writeFile(join(staged, "chunk-1.stage-1.jsonl.gz"), gzipSync(line));
    await writeFile(join(staged, "chunk-1.stage-1.jsonl.gz.pages"), `{"from":"${canary}"}`);
    expect(await kept(harness)).not.toEqual([]);
    const { out, code } = await forget(harness, "accounts", canary, "--yes", "--json");
    expect(JSON.parse(out.join(""))).toMatchObject({
      sync: "accounts",
      fingerprints: 1,
      rejects: 2,
      staged_files: 1,
      is_shredded: true,
    });
    expect(code).toBe(0);
    expect(await kept(harness)).toEqual([]);
    expect(
      await state.knownRecords({ target, sync: "accounts", keys: [canary, "b"] }),
    ).toMatchObject([{ state: "new" }, { state: "accepted" }]);
    expect(config.stateFolder).not.toBe("");
  });

  it("erases the payloads of the inbox that become its record, and leaves the others", async () => {
    const harness = await withRows();
    await harness.write("accounts.csv", "id,domain,name\n");
    const inbox = await openInbox(harness.deps.config);
    await inbox.keep({
      connection: "forms",
      events: [
        { json: event(canary, { name: "A" }), id: `event of ${canary}` },
        { json: event("other", { name: "B" }) },
        // No record is made from it, and the key is one of its values.
        { json: JSON.stringify({ who: { id: canary } }) },
      ],
    });
    const file = inboxFileIn(harness.deps.config.stateFolder);
    const { out } = await forget(harness, "signups", canary, "--yes");
    expect(out.join("\n")).toContain("2 payloads in the inbox");
    const rows = await inbox.read({ connection: "forms", after: 0, limit: 9 });
    expect(rows.map(({ seq, json, id }) => [seq, json, id])).toEqual([
      [1, "{}", null],
      [2, event("other", { name: "B" }), null],
      [3, "{}", null],
    ]);
    await inbox.close();
    expect((await kept(harness)).filter((each) => each.startsWith(file))).toEqual([]);
  });

  it("erases payloads that no mapping can read: of a repeated member, or too deep", async () => {
    const harness = await withRows();
    await harness.write("accounts.csv", "id,domain,name\n");
    const deep = `${"[".repeat(recordDepthMax)}"${canary}"${"]".repeat(recordDepthMax)}`;
    const events = [
      `{"id":"${canary}","id":"other","mail":"a@b.example"}`,
      `{"who":"${canary}","who":null,"of":[2]}`,
      `{"of":${deep}}`,
      `{"of":"the ${canary}","of":{"${canary}":1}}`,
    ];
    const inbox = await openInbox(harness.deps.config);
    await inbox.keep({ connection: "forms", events: events.map((json) => ({ json })) });
    await forget(harness, "signups", canary, "--yes");
    const rows = await inbox.read({ connection: "forms", after: 0, limit: 9 });
    expect(rows.map(({ json }) => json)).toEqual(["{}", "{}", "{}", events[3]]);
    await inbox.close();
  });

  it("erases rejects whose rows have a member twice", async () => {
    const harness = await withEvent();
    const inbox = await openInbox(harness.deps.config);
    const json = `{"id":"${canary}","id":"other","mail":"a@b.example"}`;
    await inbox.keep({ connection: "forms", events: [{ json }] });
    await inbox.close();
    await (await TestRun.open(harness, { sync: "signups", kind: "inbox" })).transfer("body");
    const { out } = await forget(harness, "signups", canary, "--yes", "--json");
    expect(JSON.parse(out.join(""))).toMatchObject({ fingerprints: 1, rejects: 1, events: 2 });
    expect(await kept(harness)).toEqual([]);
  });

  it("leaves nothing to a drain that begins between the key and the payloads", async () => {
    const harness = await withEvent();
    let drain: TestRun | undefined;
    const forgetting = forgetBeside(harness, async (run) => {
      drain = run;
      await run.stage();
    });
    await expect(forgetting).rejects.toMatchObject({
      code: "Busy",
      message: "run run-1 of sync signups is open, and began before the key was out of the inbox",
      hint: "the key is out of the inbox now, but not of that run: run the same command again when it is over",
    });
    await drain?.close({ outcome: "cancelled" });
    const { code } = await forget(harness, "signups", canary, "--yes");
    expect(code).toBe(0);
    expect(await kept(harness)).toEqual([]);
  });

  it("erases what a drain has kept that began and ended between the key and the payloads", async () => {
    const harness = await withEvent();
    const forgotten = await forgetBeside(harness, async (run) => void (await run.transfer("body")));
    expect(forgotten).toMatchObject({ fingerprints: 1, events: 1 });
    expect(await kept(harness)).toEqual([]);
  });

  it("empties the log of the inbox, too, when it is run again because another read it", async () => {
    const harness = await withEvent();
    const receiver = new DatabaseSync(inboxFileIn(harness.deps.config.stateFolder));
    onTestFinished(() => receiver.close());
    receiver.exec("pragma secure_delete = on; update events set json = '{}', id = null");
    expect(await kept(harness)).not.toEqual([]);
    await forget(harness, "signups", canary, "--yes");
    expect(await kept(harness)).toEqual([]);
  });

  it("says what it cannot reach", async () => {
    const { out } = await forget(await withRows(), "accounts", canary, "--yes");
    const [, unreached = ""] = out.join("\n").split("not within reach");
    expect(unreached).not.toContain("the checkpoint");
    for (const what of [
      "the source",
      "the service",
      "backups",
      "other syncs: signups",
      "Temporal",
    ]) {
      expect(unreached).toContain(what);
    }
  });

  it("says that hashes stay of events, by which a repeated one is known", async () => {
    const harness = await withEvent();
    const told = async (sync: string): Promise<string> =>
      (await forget(harness, sync, canary, "--yes")).out.join("\n");
    expect(await told("signups")).toContain("hashes of its events, by which repeated ones are");
    expect(await told("accounts")).not.toContain("hashes of its events");
  });

  it("names connections that no sync reads, of which the inbox has events", async () => {
    const harness = await withRows();
    const inbox = await openInbox(harness.deps.config);
    const events = [{ json: event(canary, { name: "A" }) }];
    for (const connection of ["forms", "renamed", "removed"]) {
      await inbox.keep({ connection, receivedAt: 1_000, events });
    }
    await inbox.prune({ connection: "removed", upTo: 1 });
    await inbox.close();
    const { out } = await forget(harness, "signups", canary, "--yes");
    const [erased = "", unreached = ""] = out.join("\n").split("not within reach");
    expect(erased).toContain("1 payload in the inbox");
    expect(unreached.match(/events of .*/g)).toEqual([
      "events of renamed in the inbox, which no sync reads: have signups read renamed in a copy of " +
        "sluice.yaml in the same folder, and add `--config <the copy>`",
    ]);
  });

  it("says that the checkpoint is named by the key, where it is", async () => {
    const harness = await withRows();
    const { state, target } = harness.deps;
    const name = { target, sync: "accounts" };
    const { version } = await state.checkpoint(name);
    const at = "2026-01-01T00:00:00.000Z";
    const position = { after: ["2026", canary] };
    await state.setCheckpoint({ ...name, version, position, reason: "a test", at });
    const { out } = await forget(harness, "accounts", canary, "--yes");
    expect(out.join("\n")).toContain(
      "the checkpoint of the sync, until a run has continued from it",
    );
  });

  it("says nothing of a checkpoint that has the key for the number of an event", async () => {
    const harness = await withEvent();
    await (await TestRun.open(harness, { sync: "signups", kind: "inbox" })).transfer("body");
    const { state, target } = harness.deps;
    const { position } = await state.checkpoint({ target, sync: "signups" });
    expect(position).toMatchObject({ connection: "forms", seq: 1 });
    for (const key of ["1", "forms"]) {
      const { out } = await forget(harness, "signups", key, "--yes");
      expect(out.join("\n")).toContain("nothing was kept of this key");
      expect(out.join("\n")).not.toContain("the checkpoint");
    }
  });

  it("does nothing while a run of the sync is open", async () => {
    const harness = await withRows();
    const run = await TestRun.open(harness, { runId: "run-2" });
    const before = await kept(harness);
    await expect(forget(harness, "accounts", canary, "--yes")).rejects.toMatchObject({
      code: "Busy",
    });
    expect(await kept(harness)).toEqual(before);
    await run.close({ outcome: "cancelled" });
  });

  it("says of a run that is held how it is answered", async () => {
    const harness = await heldNight();
    const refused = forget(harness, "accounts", "a1", "--yes");
    await expect(refused).rejects.toMatchObject({
      code: "Busy",
      message: "run run-1 of sync accounts waits for somebody's consent",
      hint: "`sluice runs show run-1`, then `sluice approve run-1` or `sluice discard run-1`",
    });
  });

  it("wants a yes, a sync and a key", async () => {
    const harness = await withRows();
    await expect(forget(harness, "accounts", canary)).rejects.toThrow("forget needs --yes");
    await expect(forget(harness, "nothing", canary, "--yes")).rejects.toThrow('no sync "nothing"');
    await expect(forget(harness, "accounts", "", "--yes")).rejects.toThrow("the key is empty");
    expect(await kept(harness)).not.toEqual([]);
  });
});

it("ends as interrupted where that comes at its question, and erases nothing", async () => {
  atTerminal();
  const harness = await withRows();
  const asking = forget(harness, "accounts", canary);
  await interruptAtQuestion();
  expect(await asking).toEqual({ out: [], said: ["nothing was erased"], code: 130 });
  expect(await kept(harness)).not.toEqual([]);
});
