import { expect, it } from "vitest";

import { sourcesOf } from "../../connectors/registry.ts";
import { assertMayRepeat, assertReplayable } from "../../connectors/replayable.ts";
import { connectorOf } from "../../connectors/source.ts";
import { accountsYaml, Harness } from "../support/project/harness.ts";
import { stagedRun } from "../support/project/test-run.ts";

/** A sync with this connection and stream, its source, and the project that it is of. */
async function syncOf(connection: string, stream: "account" | "account_event") {
  const event = `record:
      event_id: id
      account_id: id
      event: name
      event_timestamp: at
      event_properties: {}`;
  const yaml = accountsYaml()
    .replace("{ connector: csv, path: accounts.csv }", connection)
    .replace("stream: account", `stream: ${stream}`)
    .replace(/record:[^]*$/, (record) => (stream === "account" ? record : `${event}\n`));
  const { config, target } = (await Harness.open({ yaml })).deps;
  const sync = config.syncs.get("accounts");
  if (sync === undefined) throw new Error("it has no sync");
  return { sync, target, source: connectorOf({ sources: sourcesOf(config) }, sync.connector) };
}

/** Checks whether the rows of a sync with this connection and stream may be sent again. */
async function mayRepeat(connection: string, stream: "account" | "account_event"): Promise<void> {
  const { sync, source } = await syncOf(connection, stream);
  assertMayRepeat(sync, source);
}

const pushed = "{ connector: webhook, path: /hooks/a, signature: none, allow_unsigned: true }";

it.each([
  ["what is pushed", pushed],
  ["what is appended", "{ connector: csv, path: accounts.csv, append_only: true }"],
])("sends versions of records out of their order neither of %s", async (_, connection) => {
  await expect(mayRepeat(connection, "account")).rejects.toMatchObject({
    message: expect.stringContaining("an older one could overwrite a newer one") as unknown,
    hint: "`sluice state reset accounts` sends all of them again, in order",
  });
});

it("sends events again, and records of what each run reads whole", async () => {
  await expect(mayRepeat(pushed, "account_event")).resolves.toBeUndefined();
  const file = "{ connector: csv, path: accounts.csv }";
  await expect(mayRepeat(file, "account")).resolves.toBeUndefined();
});

it.each([
  ["a.jsonl", "run the sync: it reads the source as it is now"],
  ["a.jsonl, append_only: true", "`sluice state reset accounts` sends all of it again"],
])("says what sends rows that cannot be read again one by one: %s", async (path, hint) => {
  const all = await syncOf(`{ connector: jsonl, path: ${path} }`, "account");
  const { state } = (await stagedRun()).run.harness;
  const run = await state.run("run-1");
  const refused = (): void => assertReplayable(all, run && { ...run, target: all.target });
  expect(refused).toThrow(expect.objectContaining({ hint }));
});

it("says of the rejects of another service how to replay them there, and not to reset this one", async () => {
  const growing = await syncOf("{ connector: csv, path: a.csv, append_only: true }", "account");
  const { state } = (await stagedRun()).run.harness;
  const run = await state.run("run-1");
  const refused = (): void => assertReplayable(growing, run && { ...run, target: "sandbox" });
  expect(refused).toThrow(
    expect.objectContaining({
      message: `the rejects cannot be replayed: run run-1 was for sandbox, and this would send to ${growing.target}`,
      hint: "set api.base_url and api.account as they were for that run, and replay again",
    }),
  );
});

it("promises of a connection's events no more than those that its inbox keeps", async () => {
  const all = await syncOf(pushed, "account");
  const sync = { ...all.sync, send: "all" } as const;
  const { state } = (await stagedRun()).run.harness;
  const run = await state.run("run-1");
  const refused = (): void =>
    assertReplayable({ ...all, sync }, run && { ...run, target: all.target });
  const hint = "`sluice state reset accounts` sends again all that its inbox still keeps";
  expect(refused).toThrow(expect.objectContaining({ hint }));
});
