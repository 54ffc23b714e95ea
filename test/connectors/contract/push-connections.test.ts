import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { expect, it } from "vitest";

import { pushConnections } from "../../../connectors/contract/push-connections.ts";
import { sources } from "../../../connectors/registry.ts";
import { loadConfig } from "../../../src/config/load.ts";
import { temporaryFolder } from "../../support/process/temporary-folder.ts";

const record = "{ contact_id: id, email: email, contact_properties: {} }";
const yaml = `version: 1
api: { api_key: test-key }
connections:
  files: { connector: csv, path: a.csv }
  forms: { connector: webhook, path: /hooks/forms, signature: none, allow_unsigned: true, linger: 7s }
syncs:
  second: { from: forms, stream: contact, record: ${record} }
  people: { from: files, stream: contact, record: ${record} }
  first: { from: forms, stream: contact, record: ${record} }
`;

it("gives what is pushed to: its endpoint, and the syncs that read it in the order of the file", async () => {
  const folder = await temporaryFolder();
  const path = join(folder, "sluice.yaml");
  await writeFile(path, yaml);
  const config = await loadConfig({ path, cwd: folder, env: {}, connectors: sources });
  const pushed = pushConnections({ config, sources });
  expect(pushed.map(({ connection }) => connection)).toEqual(["forms"]);
  expect(pushed[0]?.endpoint).toMatchObject({ path: "/hooks/forms", lingerMs: 7_000 });
  expect(pushed[0]?.push.endpoint(pushed[0].config)).toEqual(pushed[0]?.endpoint);
  expect(pushed[0]?.syncs.map(({ name }) => name)).toEqual(["second", "first"]);
});
