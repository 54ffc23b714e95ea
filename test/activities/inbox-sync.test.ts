import { rename, rm } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";

import { describe, expect, it } from "vitest";

import { readReplay } from "../../activities/stage/replay-pages.ts";
import type { Source } from "../../connectors/contract/connector.ts";
import { readFromInbox } from "../../connectors/inbox/index.ts";
import { webhook } from "../../connectors/webhook/index.ts";
import { inboxFileIn } from "../../src/inbox/file.ts";
import type { Stream } from "../../src/records/streams.ts";
import { canaries } from "../support/canaries.ts";
import { failureOf, Harness, harnessHead } from "../support/project/harness.ts";
import { TestRun } from "../support/project/test-run.ts";
import { KeptEvents } from "../support/webhooks/kept-events.ts";

/** A `sluice.yaml` whose sync makes records from the events of the connection `forms`. */
function formsYaml(stream: Stream, record: object): string {
  return `${harnessHead}connections:
  forms: { connector: webhook, path: /hooks/forms, secret: ${canaries.webhookSecret} }
syncs:
  accounts:
    from: forms
    stream: ${stream}
    record: ${JSON.stringify(record)}
`;
}

const account = {
  account_id: "data.id",
  domain: { column: "data.site", as: "domain" },
  account_properties: { name: "data.name" },
};

/** An event with this data, in the format of Standard Webhooks. */
function event(data: object): string {
  return JSON.stringify({ type: "company.updated", timestamp: "2026-11-20T09:15:00Z", data });
}

/** An event of the account a1, a2, … */
function accountEvent(n: number): string {
  return event({ id: `a${n}`, site: `c${n}.example`, name: `name ${n}` });
}

/** Copies an inbox as a backup does. */
function copyInbox(file: string, copy: string): void {
  const db = new DatabaseSync(file);
  db.prepare("vacuum into ?").run(copy);
  db.close();
}

type Story = { readonly harness: Harness; readonly events: KeptEvents };

async function storyOf(yaml: string, hasThreads = false): Promise<Story> {
  const harness = await Harness.open({ yaml, hasThreads });
  return { harness, events: new KeptEvents(inboxFileIn(harness.deps.config.stateFolder)) };
}

/**
 * Removes the inbox of a project, and replaces it by a copy if one is given. Returns what posts into it from now on.
 */
async function replaceInbox({ deps }: Harness, copy?: string): Promise<KeptEvents> {
  const file = inboxFileIn(deps.config.stateFolder);
  for (const end of ["", "-wal", "-shm"]) await rm(`${file}${end}`, { force: true });
  if (copy !== undefined) await rename(copy, file);
  return new KeptEvents(file);
}

const fromData = {
  account: {
    mapping: account,
    made: {
      type: "account",
      account_id: "u1",
      domain: "acme.example",
      account_properties: { name: "Acme" },
    },
  },
  contact: {
    mapping: {
      contact_id: "data.id",
      email: { column: "data.owner.email", as: "email", lowercase: true },
      contact_properties: { plan: "data.plans.0", named: { template: "{data.name} ({type})" } },
    },
    made: {
      type: "contact",
      contact_id: "u1",
      email: "ada@acme.example",
      contact_properties: { plan: "pro", named: "Acme (company.updated)" },
    },
  },
  account_event: {
    mapping: {
      event_id: { column: "data.change", as: "string" },
      account_id: "data.id",
      event: "type",
      event_timestamp: { column: "timestamp", as: "datetime" },
      event_properties: { plans: "data.plans" },
    },
    made: {
      event_type: "account_event",
      event_id: "175928847299117063",
      account_id: "u1",
      event: "company.updated",
      event_timestamp: "2026-11-20T09:15:00.123+01:00",
      event_properties: { plans: ["pro", "team"] },
    },
  },
  contact_event: {
    mapping: {
      event_id: { template: "{data.id}-{data.change}" },
      contact_id: "data.owner.email",
      event: { column: "type" },
      event_timestamp: "timestamp",
      event_properties: {},
    },
    made: {
      event_type: "contact_event",
      event_id: "u1-175928847299117063",
      contact_id: "Ada@acme.example",
      event: "company.updated",
      event_timestamp: "2026-11-20T09:15:00.123+01:00",
      event_properties: {},
    },
  },
} as const;

const standardPayload = `{"type":"company.updated","timestamp":"2026-11-20T09:15:00.123+01:00","data":{"id":"u1",
  "site":"https://www.acme.example/about","name":"Acme","owner":{"email":"Ada@acme.example"},"plans":["pro","team"],
  "change":175928847299117063}}`;

describe("a sync out of an inbox", () => {
  it.each(["account", "contact", "account_event", "contact_event"] as const)(
    "makes a record of the stream %s of a Standard Webhooks payload",
    async (stream) => {
      const { mapping, made } = fromData[stream];
      const { harness, events } = await storyOf(formsYaml(stream, mapping));
      events.keep("forms", standardPayload);
      const report = await (await TestRun.open(harness)).transfer();
      expect(report).toMatchObject({ outcome: "done", counts: { read: 1, sent: 1 } });
      expect(await harness.sandbox.records(stream)).toEqual([made]);
    },
  );

  it("reads what was there when it opened, and continues from there", async () => {
    const { harness, events } = await storyOf(formsYaml("account", account), true);
    const many = Array.from({ length: 2_500 }, (_, n) => accountEvent(n));
    events.keep("forms", ...many.slice(0, 1_000));
    events.keep("forms", ...many.slice(1_000, 2_000));
    const first = await TestRun.open(harness);
    events.keep("forms", ...many.slice(2_000));
    expect((await first.transfer()).counts).toMatchObject({ read: 2_000, sent: 2_000 });

    const second = await TestRun.open(harness, { runId: "run-2" });
    expect((await second.transfer()).counts).toMatchObject({ read: 500, sent: 500 });
    const third = await TestRun.open(harness, { runId: "run-3" });
    expect((await third.transfer()).counts).toMatchObject({ read: 0 });
    expect((await harness.sandbox.names()).size).toBe(2_500);
  });

  it("sends both of two events of one account, the later one last", async () => {
    const { harness, events } = await storyOf(formsYaml("account", account));
    const a1 = { id: "a1", site: "a.example" };
    events.keep("forms", event({ ...a1, name: "old" }), event({ ...a1, name: "new" }));
    const report = await (await TestRun.open(harness)).transfer();
    expect(report.counts).toMatchObject({ read: 2, sent: 2, rejected: 0 });
    expect(await harness.sandbox.names()).toEqual(new Map([["a1", "new"]]));
  });

  it("lets no event take another one's name", async () => {
    const mapping = {
      event_id: "$event_id",
      account_id: "type",
      event: "type",
      event_timestamp: "$received_at",
      event_properties: {},
    };
    const { harness, events } = await storyOf(formsYaml("account_event", mapping));
    events.keep("forms", { id: "msg_1", json: '{"type":"paid"}' });
    events.keep("forms", { id: "msg_2", json: '{"type":"form","$event_id":"msg_1"}' });
    await (await TestRun.open(harness)).transfer();
    expect(await harness.sandbox.records("account_event")).toMatchObject([
      { event_id: "msg_1", event: "paid" },
      { event_id: "msg_2", event: "form" },
    ]);
  });

  it("ends with nothing read before anything was pushed", async () => {
    const harness = await Harness.open({ yaml: formsYaml("account", account) });
    const report = await (await TestRun.open(harness)).transfer();
    expect(report).toMatchObject({ outcome: "done", counts: { read: 0 } });
    const events = new KeptEvents(inboxFileIn(harness.deps.config.stateFolder));
    events.keep("forms", accountEvent(1));
    const second = await TestRun.open(harness, { runId: "run-2" });
    expect(await second.transfer()).toMatchObject({ counts: { sent: 1 }, warnings: [] });
  });

  it("reads another inbox from its beginning, and says so", async () => {
    const { harness, events } = await storyOf(formsYaml("account", account));
    events.keep("forms", accountEvent(1), accountEvent(2));
    await (await TestRun.open(harness)).transfer();

    (await replaceInbox(harness)).keep("forms", accountEvent(3));
    const second = await TestRun.open(harness, { runId: "run-2" });
    const report = await second.transfer();
    expect(report.counts).toMatchObject({ read: 1, sent: 1 });
    expect(report.warnings).toEqual([expect.stringContaining("everything is read again")]);
  });

  it.each([
    ["has given out fewer numbers", [4]],
    ["has given out as many numbers again", [4, 5]],
    ["has given out more numbers since", [4, 5, 6, 7]],
  ])("reads an older copy that %s from its beginning, and says so", async (_, posted) => {
    const { harness, events } = await storyOf(formsYaml("account", account));
    events.keep("forms", accountEvent(1));
    const file = inboxFileIn(harness.deps.config.stateFolder);
    const copy = `${file}.copy`;
    copyInbox(file, copy);
    events.keep("forms", accountEvent(2), accountEvent(3));
    await (await TestRun.open(harness)).transfer();

    (await replaceInbox(harness, copy)).keep("forms", ...posted.map(accountEvent));
    const second = await TestRun.open(harness, { runId: "run-2" });
    const report = await second.transfer();
    const sent = posted.length;
    expect(report.counts).toMatchObject({ read: 1 + sent, sent, unchanged: 1 });
    expect(report.warnings).toEqual([expect.stringContaining("everything is read again")]);
    const names = await harness.sandbox.names();
    expect(posted.filter((id) => !names.has(`a${id}`))).toEqual([]);
  });

  it("rejects what can be no record, as it came, and sends the rest", async () => {
    const { harness, events } = await storyOf(formsYaml("account", account));
    const [first, other] = [accountEvent(1), accountEvent(2)];
    const badDomain = '{"data": {"id":"a3", "site":"?",  "n":1e999}}';
    events.keep("forms", { id: "e1", json: first }, { id: "e1", json: other }, "17", badDomain);
    events.keep("forms", '{"data":{"id":9007199254740993,"site":"a.example"}}');
    events.keep("forms", '{"data":{"id":"a4","site":"a.example","name":"x","name":"y"}}');
    const run = await TestRun.open(harness);
    const report = await run.transfer();
    expect(report).toMatchObject({
      outcome: "done_with_rejects",
      balanced: true,
      counts: { read: 6, sent: 1, rejected: 5 },
    });
    const rejects = await run.rejects();
    expect(rejects.map(({ place, code, row }) => [place, code, row])).toEqual([
      ["forms#2", "id_conflict", other],
      ["forms#3", "not_an_object", "17"],
      ["forms#4", "not_domain", badDomain],
      ["forms#5", "inexact_number", '{"data":{"id":9007199254740993,"site":"a.example"}}'],
      [
        "forms#6",
        "duplicate_json_key",
        '{"data":{"id":"a4","site":"a.example","name":"x","name":"y"}}',
      ],
    ]);
  });

  it("names the event after a record that the service refuses", async () => {
    const { harness, events } = await storyOf(formsYaml("account", account));
    events.keep("forms", accountEvent(1), "0", accountEvent(2), accountEvent(3));
    harness.sandbox.refuse("confirm-upload", [1]);
    const run = await TestRun.open(harness);
    await run.transfer();
    expect(await run.rejects()).toMatchObject([
      { place: "forms#2", code: "not_an_object" },
      { place: "forms#3", code: "refused_by_service", row: accountEvent(2) },
    ]);
  });

  it("replays rejects by their places once the mapping is fixed, and says what is gone", async () => {
    const { harness, events } = await storyOf(formsYaml("account", account));
    const [one, three] = [1, 3].map((n) => accountEvent(n).replace("site", "host"));
    const without = '{"data": {"id": "a5"}}';
    events.keep("forms", one ?? "", accountEvent(2), without, three ?? "", "0");
    await (await TestRun.open(harness)).transfer();
    events.inbox.setAccepted({ connection: "forms", upTo: 1 });
    events.inbox.prune({ connection: "forms", upTo: 1 });

    const fixed = { ...account, domain: { column: "data.host", as: "domain" } };
    const later = await harness.withYaml(formsYaml("account", fixed));
    const run = await TestRun.open(later, {
      runId: "run-2",
      request: { replay: { run: "run-1" } },
    });
    expect((await run.transfer()).counts).toMatchObject({ read: 4, sent: 1, rejected: 3 });
    expect(await run.rejects()).toMatchObject([
      { place: "forms#1", code: "row_gone" },
      { place: "forms#3", code: "required", row: without },
      { place: "forms#5", code: "not_an_object", row: "0" },
    ]);
    expect([...(await harness.sandbox.names()).keys()].toSorted()).toEqual(["a2", "a3"]);
  });

  it("reads one event at a time to replay them, because each may be large", async () => {
    const { harness, events } = await storyOf(formsYaml("account", account));
    events.keep("forms", "0", "0", "0");
    await (await TestRun.open(harness)).transfer();
    const asked: number[] = [];
    const get: NonNullable<Source["get"]> = async (ask) => {
      asked.push(ask.names.length);
      return await Promise.resolve({ rows: [], where: () => "", missing: ask.names });
    };
    const { state } = harness;
    const { signal } = new AbortController();
    const log = { info: () => undefined, warn: () => undefined };
    const runId = "run-2";
    await state.listReplay({ runId, run: "run-1" });
    const tools = { source: { ...readFromInbox(webhook), get }, state, signal, log };
    const what = { runId, sync: "accounts", stream: "account", config: {}, after: 0 } as const;
    for await (const { rejects } of readReplay(what, tools)) expect(rejects).not.toEqual([]);
    expect(asked).toEqual([1, 1, 1]);
  });

  it("cannot replay what another inbox held", async () => {
    const { harness, events } = await storyOf(formsYaml("account", account));
    events.keep("forms", "0");
    await (await TestRun.open(harness)).transfer();
    (await replaceInbox(harness)).keep("forms", accountEvent(1));
    const request = { replay: { run: "run-1" } };
    const run = await TestRun.open(harness, { runId: "run-2", request });
    const failure = await failureOf(run.stage());
    expect([failure.type, failure.message]).toEqual([
      "ConfigError",
      "the rejects cannot be replayed: connection forms: this is not the inbox that was read before",
    ]);
    expect(failure.details).toMatchObject([
      { hint: "run the sync again: it then begins with the first event that is kept" },
    ]);
  });
});
