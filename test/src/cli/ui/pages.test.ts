import { rm } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { accountsYaml, Harness, harnessKey } from "../../../support/project/harness.ts";
import { TestRun } from "../../../support/project/test-run.ts";
import { openUi, type OpenedUi } from "../../../support/ui/open-ui.ts";

const script = "<script>alert(1)</script>";
const inRow = "<script>alert('row')</script>";
const image = `'"><img src=x onerror=alert(1)>`;

/** Elements and attributes of a page that would run code other than our own script: there must be none. */
function foreignElements(page: string): readonly string[] {
  const tags = page.replaceAll(/="[^"]*"/g, "=…");
  return tags.match(/<(?:script(?! src=… defer>)|img|iframe|object)\b|<[^>]*\son\w+=/g) ?? [];
}

/** A cell of a CSV file. */
function quote(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

/** A project whose file holds attacks: one row is sent, two are rejected. */
async function attacked(): Promise<Harness> {
  const files = {
    "accounts.csv": [
      "id,domain,name",
      `a,a.example,${quote(inRow)}`,
      `${quote(image)},,${quote(inRow)}`,
      `${quote('it\'s "it"')},,x`,
      "",
    ].join("\n"),
  };
  const harness = await Harness.open({ yaml: accountsYaml(), files });
  await (await TestRun.open(harness, { runId: "run-1" })).transfer();
  return harness;
}

/** Opens a run of the sync, or of a pull. */
async function begin(
  { deps: { state, target } }: Harness,
  runId: string,
  kind: "pull" | "sync" = "sync",
): Promise<void> {
  const ids = { runId, workflowId: runId, firstRunId: runId, temporalId: "t", configHash: "c" };
  const startedAt = new Date(state.now()).toISOString();
  await state.openRun({ ...ids, sync: "accounts", target, kind, request: {}, startedAt });
  const holder = { runId, kind, workflowId: runId, firstRunId: runId };
  await state.takeLock({ name: `lock of ${runId}`, ...holder, at: startedAt });
}

/** A run of a pull that rejects a row. */
async function pulled(harness: Harness, runId: string): Promise<void> {
  const { state, target } = harness.deps;
  await begin(harness, runId, "pull");
  const pull = { target, pull: "accounts" };
  const hashes = { configHash: "c", queryHash: "q", writeHash: "w" };
  await state.beginPull({ ...pull, ...hashes, runId, anew: true, hasDomains: false });
  const { version = 0 } = (await state.pullPlace(pull)) ?? {};
  const counts = { read: 1, written: 0, unchanged: 0, missing: 0 };
  const refused = { stream: "accounts", place: "mk-9", step: "write" } as const;
  const rejects = [{ ...refused, code: "refused_by_source", reason: "no" } as const];
  const page = { pass: null, counts, rejects, keys: [], isRefusal: false };
  const at = new Date(state.now()).toISOString();
  await state.commitPage({ ...pull, ...page, runId, version, at });
  await state.endRun({ runId, outcome: "done_with_rejects", endedAt: at });
}

/** Every page of a project that shows something of the source. */
async function everyPage({ get }: OpenedUi): Promise<string> {
  const paths = [
    "/",
    "/runs?sync=accounts",
    "/runs/run-1",
    "/rejects",
    "/rejects?run=run-1&code=required",
    `/record?sync=accounts&name=${encodeURIComponent(image)}`,
    `/record?sync=accounts&name=${encodeURIComponent("./accounts.csv:2")}`,
    "/held",
    `/rejects?${new URLSearchParams({ run: image, code: script }).toString()}`,
  ];
  const pages: string[] = [];
  for (const path of paths) {
    const { status, text } = await get(path);
    expect([path, status]).toEqual([path, 200]);
    expect(Buffer.byteLength(text)).toBeLessThan(100_000);
    expect([path, foreignElements(text)]).toEqual([path, []]);
    pages.push(text);
  }
  for (const path of [
    `/runs/${encodeURIComponent(script)}`,
    `/runs?sync=${encodeURIComponent(image)}`,
  ]) {
    const { status, text } = await get(path);
    expect([path, status, foreignElements(text)]).toEqual([path, 404, []]);
  }
  return pages.join("\n");
}

describe("the pages", () => {
  it("show what a source holds as text, and its rows only where they are asked for", async () => {
    const harness = await attacked();
    const without = await openUi(harness);
    const all = await everyPage(without);
    expect(all).toContain("&lt;img src=x onerror=alert(1)&gt;");
    expect(all).not.toContain("alert(&#39;row&#39;)");
    expect(all).not.toContain(harnessKey);
    const withRows = await openUi(harness, { showsRows: true });
    expect(await everyPage(withRows)).toContain(
      "&lt;script&gt;alert(&#39;row&#39;)&lt;/script&gt;",
    );
  });

  it("give the commands that replay and explain, quoted for a shell", async () => {
    const harness = await attacked();
    const { get } = await openUi(harness);
    const { text: rejects } = await get("/rejects?code=required");
    expect(rejects).toContain("<code>sluice rejects replay run-1 --code required</code>");
    const explained = async (name: string): Promise<string> =>
      (await get(`/record?${new URLSearchParams({ sync: "accounts", name }).toString()}`)).text;
    // As --place, a key would not be recognised.
    expect(await explained("it's")).toContain(
      String.raw`<code>sluice explain accounts &#39;it&#39;\&#39;&#39;s&#39;</code>`,
    );
    expect(await explained("-7")).toContain("<code>sluice explain accounts -- -7</code>");
  });

  it("give no replay of what nothing replays, such as the rejects of a pull", async () => {
    const harness = await attacked();
    await pulled(harness, "pull-1");
    const { get } = await openUi(harness);
    const { text: all } = await get("/rejects");
    expect(all).toContain("mk-9");
    expect(all).toContain("<code>sluice rejects replay run-1</code>");
    const { text: ofPull } = await get("/rejects?run=pull-1");
    expect(ofPull).toContain("<code>sluice rejects export pull-1 --out rejects.csv</code>");
    expect(ofPull).not.toContain("rejects replay");
  });

  it("say where there are older runs than they show, and what shows these", async () => {
    const harness = await attacked();
    const command = "<code>sluice runs list --sync accounts --limit 1000</code>";
    const textOf = async (): Promise<string> =>
      (await (await openUi(harness)).get("/runs?sync=accounts")).text;
    for (let n = 2; n <= 100; n++) await begin(harness, `run-${n}`);
    expect(await textOf()).not.toContain(command);
    await begin(harness, "run-101");
    const text = await textOf();
    expect(text).toContain("These are the newest 100.");
    expect(text).toContain(command);
    expect(text).not.toContain('"/runs/run-1"');
  });

  it("say how a run went: its balance, its reasons with places, its chunks", async () => {
    const { get } = await openUi(await attacked());
    const { text: run } = await get("/runs/run-1");
    expect(run).toContain('aria-label="sent 1, rejected 2"');
    expect(run).toContain("accounts.csv:3 (domain)");
    expect(run).toMatch(/aria-label="1 chunk in [\d.]+ s/);
    expect(run).toContain("done with rejects");
    expect((await get("/")).text).toContain(
      "accounts, the newest 1 run: sent 1, unchanged 0, rejected 2, 0 runs failed",
    );
  });

  it("look again by themselves while a run is under way, and no longer", async () => {
    const harness = await attacked();
    const next = await TestRun.open(harness, { runId: "run-2" });
    const { get } = await openUi(harness);
    const again = /<meta http-equiv="refresh" content="\d"\s*\/>[^]*<main id="main"\s+data-live>/;
    for (const path of ["/", "/runs?sync=accounts", "/runs/run-2"]) {
      expect([path, again.test((await get(path)).text)]).toEqual([path, true]);
    }
    expect((await get("/runs/run-2")).text).toContain("read so far");
    expect((await get("/runs/run-1")).text).not.toMatch(/data-live|http-equiv="refresh"/);
    await next.transfer();
    const ended = await openUi(harness);
    expect((await ended.get("/runs/run-2")).text).not.toMatch(/data-live|http-equiv="refresh"/);
  });

  it("ask whose runs are meant where no sync or pull is named", async () => {
    const { get } = await openUi(await attacked());
    for (const path of ["/runs", "/runs?sync=", "/runs?sync=%20"]) {
      const { status, text } = await get(path);
      expect([path, status]).toEqual([path, 200]);
      expect(text).toContain('<a href="/runs?sync=accounts">accounts</a>');
    }
    expect(await get("/runs?sync=acounts")).toMatchObject({ status: 404 });
  });

  it("find rejects by sync, reason and time, and say what is no time or no name", async () => {
    const { get } = await openUi(await attacked());
    const found = async (query: string): Promise<[number, boolean]> => {
      const { status, text } = await get(`/rejects?${query}`);
      return [status, text.includes("accounts.csv:3")];
    };
    expect(await found("sync=accounts&code=required")).toEqual([200, true]);
    expect(await found("code=too_long")).toEqual([200, false]);
    expect(await found("since=2000-01-01&until=2999-01-01")).toEqual([200, true]);
    expect(await found("until=2000-01-01")).toEqual([200, false]);
    expect(await found("since=2999-01-01T00:00")).toEqual([200, false]);
    expect(await found("since=yesterday")).toEqual([404, false]);
    expect((await get("/rejects?since=yesterday")).text).toContain("yesterday is not a day");
    expect(await found("since=2026-02-30")).toEqual([404, false]);
    expect(await found("sync=acounts")).toEqual([404, false]);
    expect(await found("after=run-1.1.1")).toEqual([200, false]);
  });

  it("show the rejects of a run that sent elsewhere where they are asked for by its name", async () => {
    const harness = await attacked();
    const { folder, deps } = harness;
    const { config } = deps;
    const api = { ...config.api, baseUrl: new URL("http://127.0.0.1:9") };
    const elsewhere = await openUi({ folder, deps: { config: { ...config, api } } });
    const found = async (query: string): Promise<boolean> =>
      (await elsewhere.get(`/rejects?${query}`)).text.includes("accounts.csv:3");
    expect(await found("run=run-1")).toBe(true);
    expect(await found("run=run-1&code=too_long")).toBe(false);
    expect(await found("sync=accounts")).toBe(false);
  });

  it("explain a record without the service's name of its file, and one that is unheard of", async () => {
    const harness = await attacked();
    const { get } = await openUi(harness, { showsRows: true });
    const { text } = await get("/record?sync=accounts&name=./accounts.csv:2");
    expect(text).toMatch(/holds what it accepted at .*sent by run run-1/);
    const { fileKey } =
      (await harness.state.receipts({ runId: "run-1", chunk: 1, stage: 1 }))[0] ?? {};
    expect(fileKey).toEqual(expect.any(String));
    expect(text).not.toContain(fileKey);
    expect((await get("/record?sync=accounts&name=nobody")).text).toContain("holds nothing of it");
    expect(await get("/record?sync=acounts&name=a")).toMatchObject({ status: 404 });
    await rm(join(harness.folder, "accounts.csv"));
    const { status, text: without } = await get("/record?sync=accounts&name=a");
    expect([status, without]).toEqual([
      200,
      expect.stringMatching(/cannot be asked: .*accounts\.csv/),
    ]);
    expect(without).toMatch(/holds what it accepted at .*sent by run run-1/);
    const { text: nobody } = await get("/record?sync=accounts&name=another");
    expect(nobody).not.toContain("holds nothing");
  });
});
