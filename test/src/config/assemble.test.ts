import { join } from "node:path";
import { inspect } from "node:util";

import { describe, expect, it } from "vitest";

import { sha256 } from "../../../src/config/hash.ts";
import { changed, load, loadYaml, soundYaml, withMember } from "./support.ts";

const mapping = "{ account_id: id, domain: site, account_properties: {} }";

async function hashOf(yaml: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  return (await loadYaml(yaml, env)).syncs.get("accounts")?.configHash ?? "";
}

describe("assembleConfig", () => {
  it.each([
    ["api_key: ${SLUICE_API_KEY:-sandbox-key}", "SLUICE_API_KEY"],
    ["api_key: $${literal}", "api.api_key"],
  ])("names for %s the setting %s", async (written, source) => {
    const { api } = await loadYaml(changed("api_key: abc123", written));
    expect(api.apiKeySource).toBe(source);
  });

  it("never counts the sandbox as the legacy API of a real service", async () => {
    const addresses = "base_url: https://api.example.com\n  legacy_base_url: sandbox\n  api_key";
    expect((await loadYaml(changed("api_key", addresses))).api.legacyBaseUrl).toBeUndefined();
  });

  it("shows no secret, however it is looked at", async () => {
    const yaml = changed("connector: file, path: ./a.csv", 'connector: table, url: "${DB}"');
    const config = await loadYaml(yaml, { DB: "postgres://me:hunter2@db/x" });
    const shown = [
      inspect(config, { depth: 10, showHidden: true }),
      inspect(config, { depth: 10, customInspect: false }),
      JSON.stringify([config, ...config.syncs.values(), ...config.connections.values()]),
    ].join();
    expect(shown).toContain("[secret]");
    expect(shown).not.toMatch(/hunter2|abc123/);
  });
});

describe("configHash", () => {
  it.each([
    ["comments", `# hello\n${soundYaml}`],
    [
      "the order of members",
      changed("account_id: id, domain: site", "domain: site, account_id: id"),
    ],
    ["a default that is spelled out", withMember("mode: auto")],
    ["the target", changed("abc123", "other\n  base_url: https://api.example.com")],
    ["another connection", changed("exports:", "other: { connector: file, path: z }\n  exports:")],
  ])("stays as it is with %s", async (_, yaml) => {
    expect(await hashOf(yaml)).toBe(await hashOf(soundYaml));
  });

  it.each([
    ["a mapped column", changed("domain: site", "domain: web")],
    ["a setting", withMember("send: all")],
    ["its connection", changed("./a.csv", "./b.csv")],
    ["a member of from", changed("from: exports", "from: { connection: exports, path: ./b.csv }")],
  ])("changes with %s", async (_, yaml) => {
    expect(await hashOf(yaml)).not.toBe(await hashOf(soundYaml));
  });

  it("changes with what a mapping module holds, not with where it lies", async () => {
    const yaml = changed(mapping, "./map.ts");
    const [first, same, other] = await Promise.all(
      ["1", "1", "2"].map(async (module) => {
        const { syncs, folder } = await load({ files: { "sluice.yaml": yaml, "map.ts": module } });
        const path = join(folder, "map.ts");
        expect(syncs.get("accounts")?.recordModule).toEqual({ path, hash: sha256(module) });
        return syncs.get("accounts")?.configHash;
      }),
    );
    expect(first).toBe(same);
    expect(first).not.toBe(other);
  });

  it("does not depend on secrets", async () => {
    const yaml = changed("connector: file, path: ./a.csv", 'connector: table, url: "${DB}"');
    expect(await hashOf(yaml, { DB: "a" })).toBe(await hashOf(yaml, { DB: "b" }));
  });
});
