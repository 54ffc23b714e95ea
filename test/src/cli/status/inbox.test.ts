import { describe, expect, it, onTestFinished } from "vitest";

import { webhook } from "../../../../connectors/webhook/index.ts";
import { inboxStatusOf, lookIntoInboxes } from "../../../../src/cli/status/inbox.ts";
import { openSqliteInbox } from "../../../../src/inbox/sqlite/open.ts";
import { inboxLateMs } from "../../../../src/webhooks/limits.ts";
import { accountsYaml, Harness } from "../../../support/project/harness.ts";
import { PostedHarness } from "../../../support/webhooks/push.ts";

const config = webhook.config.parse({
  path: "/hooks/forms",
  secret: "a-secret-that-is-long-enough-for-it",
  backlog_max: 10,
  folder: "/",
});

/** The status of `forms` with this many events, the oldest of this age, read by these syncs. */
function statusOf(
  waiting: number,
  oldestMs: number | undefined,
  readers: readonly string[] = ["contacts", "submissions"],
): ReturnType<typeof inboxStatusOf> {
  const pushed = { connection: "forms", push: webhook, config, readers };
  return inboxStatusOf(pushed, { waiting, oldestMs: oldestMs ?? null });
}

const reading = "what is wrong with contacts or submissions? Is a worker running?";

describe("inboxStatusOf", () => {
  it("says where a connection is pushed to, how much waits and since when", () => {
    expect(statusOf(2, 1_500)).toEqual({
      connection: "forms",
      path: "/hooks/forms",
      waiting: 2,
      oldestMs: 1_500,
      problem: undefined,
    });
  });

  it("knows nothing wrong of a connection before its first delivery", () => {
    const pushed = { connection: "forms", push: webhook, config, readers: ["contacts"] };
    expect(inboxStatusOf(pushed)).toMatchObject({
      waiting: 0,
      oldestMs: undefined,
      problem: undefined,
    });
  });

  it.each([
    [inboxLateMs - 1, undefined],
    [inboxLateMs, undefined],
    [inboxLateMs + 1, { text: "its events are late", hint: reading }],
  ])("calls an event of %i ms late or not", (oldestMs, problem) => {
    expect(statusOf(1, oldestMs).problem).toEqual(problem);
  });

  it.each([
    [9, undefined],
    [10, { text: "it is full: deliveries are answered 503", hint: reading }],
    [11, { text: "it is full: deliveries are answered 503", hint: reading }],
  ])("calls a backlog of %i out of 10 full or not", (waiting, problem) => {
    expect(statusOf(waiting, 1).problem).toEqual(problem);
  });

  it.each([
    [0, undefined, "no sync reads it"],
    [3, 1, "no sync reads it: 3 events kept, none sent"],
  ])("says of %i events that no sync reads them", (waiting, oldestMs, text) => {
    const hint = "give a sync `from: forms`";
    expect(statusOf(waiting, oldestMs, []).problem).toEqual({ text, hint });
  });

  it("takes an event from a clock ahead for one of now", () => {
    expect(statusOf(1, -60_000).oldestMs).toBe(0);
  });
});

describe("lookIntoInboxes", () => {
  it("tells of events of a connection that was renamed", async () => {
    const { harness, inbox } = await PostedHarness.open();
    const events = [{ json: "{}" }, { json: "{}" }];
    await inbox.keep({ connection: "old", receivedAt: Date.now(), events });
    await inbox.keep({ connection: "sent", receivedAt: Date.now(), events });
    await inbox.setAccepted({ connection: "sent", upTo: 2 });
    const text = "nothing configured is pushed to under this name: 2 events kept, none sent";
    expect(await lookIntoInboxes(harness.deps.config)).toMatchObject([
      { connection: "forms", waiting: 0, problem: undefined },
      { connection: "old", waiting: 2, problem: { text } },
    ]);
  });

  it.each([
    [34, undefined],
    [36, "its events are late"],
  ])(
    "says of events that may wait 30 minutes behind a file, after %i: %s",
    async (minutes, text) => {
      const { harness, inbox } = await PostedHarness.open({ api: "wait_behind_file: 30m" });
      const receivedAt = Date.now() - minutes * 60_000;
      await inbox.keep({ connection: "forms", receivedAt, events: [{ json: "{}" }] });
      const [forms] = await lookIntoInboxes(harness.deps.config);
      expect(forms?.problem?.text).toBe(text);
    },
  );

  it("tells of them also where nothing is pushed to any more", async () => {
    const { deps } = await Harness.open({ yaml: accountsYaml() });
    expect(await lookIntoInboxes(deps.config)).toEqual([]);
    const inbox = await openSqliteInbox(deps.config.stateFolder);
    onTestFinished(async () => await inbox.close());
    await inbox.keep({ connection: "old", receivedAt: Date.now(), events: [{ json: "{}" }] });
    expect(await lookIntoInboxes(deps.config)).toMatchObject([{ connection: "old", waiting: 1 }]);
  });
});
