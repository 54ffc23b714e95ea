import { describe, expect, it } from "vitest";

import { sources } from "../../../connectors/registry.ts";
import type { Config } from "../../../src/config/config.ts";
import { loadConfig } from "../../../src/config/load.ts";
import { pushedConfigOf } from "../../../src/config/schema/sources.ts";
import { makeProject, refusal } from "./support.ts";

const head = `version: 1
api: { api_key: abc123 }
connections:
  results: { connector: csv, path: ./results.csv }
syncs: {}
`;

const hook = `connections:
  forms: { connector: webhook, path: /hooks/forms, secret: whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY= }
`;

async function load(text: string): Promise<Config> {
  const cwd = await makeProject({ "sluice.yaml": text });
  return await loadConfig({
    cwd,
    env: { URL: "postgres://me:hush@db.example/x" },
    connectors: sources,
  });
}

async function refused(text: string): Promise<string> {
  return await refusal(load(text));
}

describe("store", () => {
  it("is in the state folder where nothing else is said", async () => {
    expect((await load(head)).store).toBeUndefined();
  });

  it("is in Postgres where a URL is, which is a secret", async () => {
    const { store } = await load(`${head}store: { url: "\${URL}", project: p }\n`);
    expect(store?.url.reveal()).toBe("postgres://me:hush@db.example/x");
    expect(JSON.stringify(store)).toBe('{"url":"[secret]","schema":"sluice","project":"p"}');
  });

  it.each(["disable", "require"])("to another host takes no sslmode=%s", async (mode) => {
    const url = `postgres://me:hush@db.example/x?sslmode=${mode}`;
    const written = `${head}store: { url: "${url}", project: p }\n`;
    expect(await refused(written)).toContain("lets others on the way read or change the state");
    expect(await refused(`${head}store: { url: "\${URL}?sslmode=${mode}" }\n`)).not.toContain(
      "hush",
    );
    const here = `postgres://me:hush@127.0.0.1/x?sslmode=disable`;
    expect((await load(`${head}store: { url: "${here}", project: p }\n`)).store).toBeDefined();
  });

  it("says what is wrong with a URL and a schema", async () => {
    expect(await refused(`${head}store: { url: localhost }\n`)).toContain("not a URL such as");
    const long = `store: { url: "\${URL}", schema: ${"s".repeat(64)} }`;
    expect(await refused(`${head}${long}\n`)).toContain("this name");
  });

  it("takes a name of the project, without which another one would not be noticed", async () => {
    expect(await refused(`${head}store: { url: "\${URL}" }\n`)).toContain(
      '"project" is missing: name the project, such as `project: customers`',
    );
    const spaced = `store: { url: "\${URL}", project: two words }`;
    expect(await refused(`${head}${spaced}\n`)).toContain("a project is named by a small letter");
  });

  it("holds what is pushed to a webhook, too", async () => {
    const text = head.replace(/connections:\n.*\n/, hook);
    const { store, connections } = await load(`${text}store: { url: "\${URL}", project: p }\n`);
    expect(pushedConfigOf(connections.get("forms")?.config).inbox.store).toEqual(store);
  });
});
