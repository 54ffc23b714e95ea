import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { sources } from "../../connectors/registry.ts";
import { templatesOf, type Template } from "../../src/backfill/template.ts";
import type { Config } from "../../src/config/config.ts";
import { loadConfig } from "../../src/config/load.ts";
import { temporaryFolder } from "../support/process/temporary-folder.ts";

const connections = `connections:
  exports: { connector: csv, path: a.csv }
  crm: { connector: postgres, url: "postgres://crm@localhost/crm" }
  forms: { connector: webhook, path: /hooks/forms, secret: 0123456789abcdef0123456789abcdef }
`;

function sync(name: string, from: string): string {
  return `  ${name}:
    from: ${from}
    stream: account
    record: { account_id: id, domain: domain, account_properties: {} }
`;
}

async function configured(syncs: string, more = ""): Promise<Config> {
  const folder = await temporaryFolder();
  const text = `version: 1\napi: { api_key: k }\n${more}${connections}syncs:\n${syncs}`;
  await writeFile(join(folder, "sluice.yaml"), text);
  return await loadConfig({ cwd: folder, env: {}, connectors: sources });
}

async function templates(syncs: string, more = ""): Promise<readonly Template[]> {
  return templatesOf(await configured(syncs, more), sources);
}

const example = { lanes: 4, approve: "ask", template: true };

describe("templatesOf", () => {
  it("has times only where the source has them", async () => {
    const changed = "{ connection: crm, table: crm.a, changed_by: { column: updated_at } }";
    const made = await templates(
      [
        sync("files", "exports"),
        sync("changed", changed),
        sync("whole", "{ connection: crm, table: crm.a }"),
      ].join(""),
    );
    expect(made).toEqual([
      { workflowId: "backfill-files", input: { sync: "files", ...example } },
      {
        workflowId: "backfill-changed",
        input: { sync: "changed", from: "last 30 days", ...example },
      },
      { workflowId: "backfill-whole", input: { sync: "whole", ...example } },
    ]);
  });

  it("leaves out what is pushed", async () => {
    expect(await templates(sync("pushed", "forms"))).toEqual([]);
  });

  it("has ids of its own on another queue", async () => {
    const [made] = await templates(sync("files", "exports"), "temporal: { task_queue: eu }\n");
    expect(made?.workflowId).toBe("backfill-files@eu");
  });

  it("is bounded", async () => {
    const names = Array.from({ length: 101 }, (_, index) => `s${index}`);
    const made = await templates(names.map((name) => sync(name, "exports")).join(""));
    expect(made).toHaveLength(100);
  });
});
