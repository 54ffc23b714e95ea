import { expect, it } from "vitest";

import { sourcesOf } from "../../connectors/registry.ts";
import { assertMayRepeat } from "../../connectors/replayable.ts";
import { connectorOf } from "../../connectors/source.ts";
import { accountsYaml, Harness } from "../support/project/harness.ts";

/** Checks whether the rows of a sync with this connection and stream may be sent again. */
async function mayRepeat(connection: string, stream: "account" | "account_event"): Promise<void> {
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
  const { config } = (await Harness.open({ yaml })).deps;
  const sync = config.syncs.get("accounts");
  if (sync === undefined) throw new Error("it has no sync");
  assertMayRepeat(sync, connectorOf({ sources: sourcesOf(config) }, sync.connector));
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
