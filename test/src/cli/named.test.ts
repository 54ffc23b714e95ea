import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { beforeEach, describe, expect, it } from "vitest";

import { sources } from "../../../connectors/registry.ts";
import { connectionNamed, pullNamed, syncNamed, syncsNamed } from "../../../src/cli/named.ts";
import type { Config } from "../../../src/config/config.ts";
import { loadConfig } from "../../../src/config/load.ts";
import { temporaryFolder } from "../../support/process/temporary-folder.ts";

const head =
  "version: 1\napi: { api_key: k }\nconnections:\n  crm: { connector: csv, path: a.csv }\n";
const syncs = `syncs:
  accounts:
    from: crm
    stream: account
    record: { account_id: id, domain: domain, account_properties: {} }
`;
const pulls = `pulls:
  scores:
    accounts: {}
    write_back: { connection: crm, file: b.csv, key: { id: mk_id }, set: { name: name } }
`;

/** The configuration from a text. */
async function configured(yaml: string): Promise<Config> {
  const folder = await temporaryFolder();
  await writeFile(join(folder, "sluice.yaml"), yaml);
  return await loadConfig({ cwd: folder, env: {}, connectors: sources });
}

function namesOf(...asked: Parameters<typeof syncsNamed>): string[] {
  return syncsNamed(...asked).map(({ name }) => name);
}

let config: Config;

beforeEach(async () => {
  config = await configured(`${head}${syncs}${pulls}`);
});

describe("syncNamed, pullNamed and connectionNamed", () => {
  it("find what is configured", () => {
    expect(syncNamed(config, "accounts").stream).toBe("account");
    expect(pullNamed(config, "scores").of).toBe("accounts");
    expect(connectionNamed(config, "crm").connector).toBe("csv");
  });

  it("say what a mistyped name was to be, and what there is", () => {
    const cases = [
      [() => syncNamed(config, "acounts"), "sync", "accounts", "the syncs are: accounts"],
      [() => pullNamed(config, "score"), "pull", "scores", "the pulls are: scores"],
      [() => connectionNamed(config, "crn"), "connection", "crm", "the connections are: crm"],
    ] as const;
    for (const [find, kind, meant, hint] of cases) {
      const message = new RegExp(`there is no ${kind} .*\\(did you mean "${meant}"\\?\\)$`);
      const matching: unknown = expect.stringMatching(message);
      expect(find).toThrow(expect.objectContaining({ message: matching, hint }));
    }
  });

  it("say which command runs what a name stands for", () => {
    expect(() => syncNamed(config, "scores")).toThrow(
      expect.objectContaining({
        message: "scores is a pull, not a sync",
        hint: "`sluice pull scores` runs it",
      }),
    );
    expect(() => pullNamed(config, "accounts")).toThrow(
      expect.objectContaining({
        message: "accounts is a sync, not a pull",
        hint: "`sluice run accounts` runs it",
      }),
    );
  });

  it("take the only one where none is named, and list them where there are several", async () => {
    expect(syncNamed(config, undefined).name).toBe("accounts");
    expect(pullNamed(config, undefined).name).toBe("scores");
    expect(connectionNamed(config, undefined).name).toBe("crm");
    const two = await configured(`${head}${syncs}${syncs.slice(7).replace("accounts", "others")}`);
    expect(() => syncNamed(two, undefined)).toThrow(
      expect.objectContaining({
        message: "say which sync",
        hint: "the syncs are: accounts, others",
      }),
    );
    expect(() => syncsNamed(two, [])).toThrow(
      expect.objectContaining({
        message: "say which syncs, or --all",
        hint: "the syncs are: accounts, others",
      }),
    );
    expect(namesOf(config, [])).toEqual(["accounts"]);
    expect(namesOf(two, [], true)).toEqual(["accounts", "others"]);
    expect(namesOf(two, ["others", "accounts", "others"])).toEqual(["others", "accounts"]);
    expect(() => syncsNamed(two, ["others"], true)).toThrow("name some, or take all");
  });

  it("say where to configure the first", async () => {
    const none = await configured(`${head}syncs: {}\n`);
    expect(() => pullNamed(none, "scores")).toThrow(
      expect.objectContaining({ hint: "configure one under `pulls:`" }),
    );
  });
});
