import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { sources } from "../../../../connectors/registry.ts";
import {
  needPushConnection,
  onlyPush,
  receiverConnections,
  receiverConnectionNamed,
  unreadTexts,
} from "../../../../src/cli/serve/push-connections.ts";
import type { Config } from "../../../../src/config/config.ts";
import { loadConfig } from "../../../../src/config/load.ts";
import { ConfigError } from "../../../../src/errors.ts";
import { temporaryFolder } from "../../../support/process/temporary-folder.ts";

const forms =
  "forms: { connector: webhook, path: /hooks/forms, secret: long-enough-not-to-be-guessed }";
const other =
  "other: { connector: webhook, path: /hooks/other, signature: none, allow_unsigned: true }";
const files = "files: { connector: csv, path: a.csv }";

/** A configuration with these connections and the syncs that read them: "contacts" reads "forms". */
async function configOf(
  connections: readonly string[],
  syncs: Readonly<Record<string, string>> = {},
): Promise<Config> {
  const folder = await temporaryFolder();
  const written = Object.entries(syncs).map(
    ([name, from]) =>
      `  ${name}: { from: ${from}, stream: contact, record: { contact_id: id, email: email, ` +
      `contact_properties: {} } }\n`,
  );
  const path = join(folder, "sluice.yaml");
  await writeFile(
    path,
    `version: 1
api: { api_key: test-key }
connections: { ${connections.join(", ")} }
syncs:${written.length === 0 ? " {}" : ""}
${written.join("")}`,
  );
  return await loadConfig({ path, cwd: folder, env: {}, connectors: sources });
}

describe("pushConnections", () => {
  it("gives the connections that are pushed to, each with the syncs that read it", async () => {
    const syncs = { submissions: "forms", contacts: "forms", people: "files" };
    const pushed = receiverConnections(await configOf([files, forms, other], syncs));
    expect(pushed.map(({ connection, readers }) => ({ connection, readers }))).toEqual([
      { connection: "forms", readers: ["contacts", "submissions"] },
      { connection: "other", readers: [] },
    ]);
    expect(pushed.map(({ push, config }) => push.endpoint(config).path)).toEqual([
      "/hooks/forms",
      "/hooks/other",
    ]);
  });
});

describe("unreadTexts", () => {
  it("warns of the connections that no sync reads, and of no other", async () => {
    const pushed = receiverConnections(await configOf([forms, other], { contacts: "forms" }));
    expect(unreadTexts(pushed)).toEqual([
      "no sync reads other: its events are kept → give a sync `from: other`",
    ]);
  });
});

describe("needPushConnection", () => {
  it("says how one is configured where nothing is pushed to", async () => {
    const config = await configOf([files]);
    expect(() => needPushConnection(config)).toThrow(ConfigError);
    expect(() => needPushConnection(config)).toThrow(
      /^no connection of .*sluice\.yaml is pushed to$/,
    );
  });
});

describe("pushConnectionNamed", () => {
  it("gives the connection of that name", async () => {
    expect(receiverConnectionNamed(await configOf([files, forms]), "forms").connection).toBe(
      "forms",
    );
  });

  it("refuses a name that is not there, and a connection that is only read", async () => {
    const config = await configOf([files, forms]);
    expect(() => receiverConnectionNamed(config, "form")).toThrow('did you mean "forms"');
    expect(() => receiverConnectionNamed(config, "files")).toThrow(
      "nothing is pushed to files: its connector is csv",
    );
  });
});

describe("onlyPush", () => {
  it("gives the connection that is pushed to where there is one alone, and asks where there are several", async () => {
    expect(onlyPush(await configOf([files, forms])).connection).toBe("forms");
    const several = await configOf([forms, other]);
    expect(() => onlyPush(several)).toThrow(ConfigError);
    expect(() => onlyPush(several)).toThrow("several connections are pushed to");
  });
});
