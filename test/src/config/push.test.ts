import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { sources } from "../../../connectors/registry.ts";
import type { Config } from "../../../src/config/config.ts";
import { loadConfig } from "../../../src/config/load.ts";
import { pushedConfigOf } from "../../../src/config/schema/sources.ts";
import { makeProject, refusal } from "./support.ts";

const secret = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";

const yaml = `version: 1
api: { api_key: abc123 }
connections:
  forms: { connector: webhook, path: /hooks/forms, secret: ${secret} }
  results: { connector: csv, path: ./results.csv }
syncs:
  contacts:
    from: forms
    stream: contact
    record: { contact_id: id, email: email, contact_properties: {} }
`;

async function load(text: string, env: Record<string, string> = {}): Promise<Config> {
  const cwd = await makeProject({ "sluice.yaml": text });
  return await loadConfig({ cwd, env, connectors: sources });
}

describe("a connection that is pushed to", () => {
  it("knows its endpoint, and where its events lie", async () => {
    const config = await load(yaml);
    const pushed = pushedConfigOf(config.syncs.get("contacts")?.connectorConfig);
    const { inbox, connection, settings } = pushed;
    expect([inbox, connection]).toEqual([{ stateFolder: config.stateFolder }, "forms"]);
    expect(settings).toMatchObject({ path: "/hooks/forms" });
    expect(config.connections.get("forms")?.config).toMatchObject({ inbox });
  });

  it("has its events in the folder that the environment names", async () => {
    const config = await load(yaml, { SLUICE_STATE_DIR: "elsewhere" });
    const { inbox } = pushedConfigOf(config.connections.get("forms")?.config);
    expect(inbox.stateFolder).toBe(join(config.folder, "elsewhere"));
  });

  it("leaves a sync as it was when its endpoint or its secret changes", async () => {
    const other = yaml.replace(secret, secret.replace("MDEy", "MDEz")).replace("/forms", "/f");
    const [before, after] = [await load(yaml), await load(other)];
    expect(after.syncs.get("contacts")?.configHash).toBe(before.syncs.get("contacts")?.configHash);
  });

  it.each([
    [
      yaml.replace("from: forms", "from: { connection: forms, path: /other }"),
      '8:32: unknown member "path": every sync of forms reads all that is pushed to it',
    ],
    [
      yaml.replace(
        "  results:",
        `  twin: { connector: webhook, path: /hooks/forms, secret: ${secret} }\n  results:`,
      ),
      "5:37: connection forms has this path already",
    ],
    [
      `${yaml}pulls:
  hiring:
    job_postings: { domains_from: { connection: forms, column: domain } }
    write_back: { connection: results, key: { url: job_opening_url }, set: { title: job_opening_title } }
`,
      "only syncs can read a webhook connection",
    ],
  ])("is refused when it is used as what it is not", async (text, problem) => {
    expect(await refusal(load(text))).toContain(problem);
  });
});
