import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { assert, asyncProperty, constantFrom, nat, record, string } from "fast-check";
import { describe, expect, it } from "vitest";

import { sha256 } from "../../../src/config/hash.ts";
import { loadConfig } from "../../../src/config/load.ts";
import { ConfigError } from "../../../src/errors.ts";
import { trials } from "../../support/trials.ts";
import { changed, connectors, load, loadYaml, makeProject, refusal, soundYaml } from "./support.ts";

/** Characters with a meaning in YAML, or in our use of it. */
const marks = [
  "",
  "{",
  "]",
  ": ",
  "- ",
  "&a ",
  "*a",
  "!!x ",
  "|\n",
  "\n",
  "\t",
  "${",
  "'",
  "__proto__: ",
  "1e999",
  "? ",
  "%YAML 1.1\n",
  "---\n",
];

const place = nat(soundYaml.length);

describe("loadConfig", () => {
  it("gives defaults to what is not said", async () => {
    const folder = await makeProject({ "sluice.yaml": soundYaml });
    const config = await loadConfig({ cwd: folder, env: {}, connectors });
    expect(config).toMatchObject({
      file: join(folder, "sluice.yaml"),
      folder,
      stateFolder: join(folder, ".sluice"),
      temporal: { taskQueue: "sluice", searchAttribute: false },
      advanced: {
        chunksPerRun: undefined,
        heartbeatTimeoutMs: 30_000,
        scheduleToStartMs: 120_000,
        hostLostAfterMs: 60_000,
        retryInitialMs: 1_000,
        retryMaxMs: undefined,
      },
      api: {
        baseUrl: "sandbox",
        legacyBaseUrl: "sandbox",
        apiKeySource: "api.api_key",
        account: "main",
        requestsPerSecond: 10,
        allowInsecureHosts: [],
        creditsRetryAfterMs: 86_400_000,
      },
    });
    expect([...config.connections.values()]).toEqual([
      { name: "exports", connector: "file", config: { path: "./a.csv", folder } },
    ]);
    expect([...config.syncs]).toEqual([
      [
        "accounts",
        {
          name: "accounts",
          connection: "exports",
          connector: "file",
          connectorConfig: { path: "./a.csv", folder },
          stream: "account",
          send: "changed",
          duplicateKeys: "reject",
          rejectLimit: { rate: 0.05, rows: 100 },
          minRows: 0,
          record: { account_id: "id", domain: "site", account_properties: {} },
          mode: "auto",
          chunk: { records: 100_000, bytes: 67_108_864, level: 1 },
          lightweightPartsMax: 1,
          resendAfterMs: undefined,
          pii: { rejects: "keep" },
          schedule: undefined,
          allowFeedbackLoop: false,
          approveUpTo: 10_000,
          configHash: config.syncs.get("accounts")?.configHash,
        },
      ],
    ]);
  });

  it("takes what is said", async () => {
    const yaml = `version: 1
api:
  base_url: https://api.example.com/v2
  legacy_base_url: http://legacy.internal
  allow_insecure_hosts: [legacy.internal]
  api_key_file: keys/prod
  account: eu
  requests_per_second: 2.5
  credits_retry_after: 90m
state: data/state
temporal: { task_queue: project-b, search_attribute: true }
connections:
  exports: { connector: file, path: ./a.csv, delimiter: "," }
syncs:
  events:
    from: { connection: exports, path: ./b.csv }
    stream: contact_event
    send: all
    duplicate_keys: send
    reject_limit: { rate: 0, rows: 0 }
    min_rows: 1
    record: map/event.ts
    mode: heavyweight
    chunk: { records: 5, bytes: 1MB, level: 9 }
    lightweight: { parts_max: 3 }
    resend_after: 30d
    pii: { rejects: hash }
advanced:
  chunks_per_run: 2
  heartbeat_timeout: 3s
  schedule_to_start: 4s
  host_lost_after: 9s
  retry_initial: 5ms
  retry_max: 6s
`;
    const files = { "sluice.yaml": yaml, "keys/prod": "k-1\n", "map/event.ts": "x" };
    const config = await load({ files });
    expect(config).toMatchObject({
      stateFolder: join(config.folder, "data/state"),
      temporal: { taskQueue: "project-b", searchAttribute: true },
      advanced: {
        chunksPerRun: 2,
        heartbeatTimeoutMs: 3_000,
        scheduleToStartMs: 4_000,
        hostLostAfterMs: 9_000,
        retryInitialMs: 5,
        retryMaxMs: 6_000,
      },
      api: {
        baseUrl: new URL("https://api.example.com/v2"),
        legacyBaseUrl: new URL("http://legacy.internal"),
        apiKeySource: "keys/prod",
        account: "eu",
        requestsPerSecond: 2.5,
        allowInsecureHosts: ["legacy.internal"],
        creditsRetryAfterMs: 5_400_000,
      },
    });
    expect(config.api.apiKey.reveal()).toBe("k-1");
    expect(config.syncs.get("events")).toMatchObject({
      connectorConfig: { path: "./b.csv", delimiter: "," },
      stream: "contact_event",
      send: "all",
      duplicateKeys: "send",
      rejectLimit: { rate: 0, rows: 0 },
      minRows: 1,
      recordModule: { path: join(config.folder, "map/event.ts"), hash: sha256("x") },
      mode: "heavyweight",
      chunk: { records: 5, bytes: 1_000_000, level: 9 },
      lightweightPartsMax: 3,
      resendAfterMs: 2_592_000_000,
      pii: { rejects: "hash" },
    });
    expect(config.syncs.get("events")?.record).toBeUndefined();
  });

  it("lets SLUICE_STATE_DIR win over state", async () => {
    const env = { SLUICE_STATE_DIR: "/var/lib/sluice" };
    expect((await loadYaml(soundYaml, env)).stateFolder).toBe("/var/lib/sluice");
  });

  it("takes a variable from .env unless the environment has it", async () => {
    const yaml = changed("abc123", "${KEY}");
    const files = { "sluice.yaml": yaml, ".env": "KEY=from-file\n" };
    expect((await load({ files })).api.apiKey.reveal()).toBe("from-file");
    const other = await load({ files, env: { KEY: "from-env" } });
    expect(other.api.apiKey.reveal()).toBe("from-env");
  });
});

describe("loadConfig on mistakes", () => {
  it("lists every one, in the order of the file, with its place, line and caret", async () => {
    const yaml = `version: 2
api:
  api_key: abc123
  api_key_file: keys/none
  request_per_second: 10
pull: {}
connections:
  exports: { connector: file, path: 7, delimitr: ";" }
  Bad: { connector: flie, path: a }
syncs:
  one:
    from: export
    stream: acount
    record: { account_id: { column: id, trm: true } }
    mode: \${MODE}
  two:
    from: { connection: exports, delimiter: ";;", folder: x }
    stream: account
    record: { account_id: id, email: mail, account_properties: { size: { column: n, as: int } } }
    chunk: { bytes: 3GB }
    schedule: daily
`;
    expect(await refusal(loadYaml(yaml))).toBe(
      `sluice.yaml:1:10: must be 1
  version: 2
           ^
sluice.yaml:4:17: give api_key or api_key_file, not both
    api_key_file: keys/none
                  ^
sluice.yaml:4:17: cannot read keys/none: there is no such file
    api_key_file: keys/none
                  ^
sluice.yaml:5:3: unknown member "request_per_second" (did you mean "requests_per_second"?)
    request_per_second: 10
    ^
sluice.yaml:6:1: unknown member "pull" (did you mean "pulls"?)
  pull: {}
  ^
sluice.yaml:8:37: must be text, not a number
    exports: { connector: file, path: 7, delimitr: ";" }
                                      ^
sluice.yaml:8:40: unknown member "delimitr" (did you mean "delimiter"?)
    exports: { connector: file, path: 7, delimitr: ";" }
                                         ^
sluice.yaml:9:3: a name is a small letter and up to 63 small letters, digits, "_" or "-"
    Bad: { connector: flie, path: a }
    ^
sluice.yaml:9:21: no connector has this name (did you mean "file"?); there are file, table
    Bad: { connector: flie, path: a }
                      ^
sluice.yaml:12:11: no connection has this name (did you mean "exports"?)
      from: export
            ^
sluice.yaml:13:13: must be one of account, contact, account_event, contact_event (did you mean "account"?)
      stream: acount
              ^
sluice.yaml:14:41: unknown member "trm" (did you mean "trim"?)
      record: { account_id: { column: id, trm: true } }
                                          ^
sluice.yaml:15:11: variable MODE is not set
      mode: \${MODE}
            ^
sluice.yaml:17:45: must be one character
      from: { connection: exports, delimiter: ";;", folder: x }
                                              ^
sluice.yaml:17:51: unknown member "folder": relative paths start from the folder of this file
      from: { connection: exports, delimiter: ";;", folder: x }
                                                    ^
sluice.yaml:19:89: must be one of string, integer, number, boolean, date, datetime, json, domain, email
      record: { account_id: id, email: mail, account_properties: { size: { column: n, as: int } } }
                                                                                          ^
sluice.yaml:20:21: must be between 1 and 2000000000 bytes
      chunk: { bytes: 3GB }
                      ^
sluice.yaml:21:15: must be a mapping such as { name: value }, not text
      schedule: daily
                ^`,
    );
  });

  it("refuses a member that the engine gives a connector", async () => {
    const yaml = soundYaml.replace("connector: file,", "connector: file, first_wins: true,");
    expect(await refusal(loadYaml(yaml))).toContain(
      'unknown member "first_wins": send and duplicate_keys of a sync say it',
    );
  });

  it("names the file relative to the working directory", async () => {
    const folder = await makeProject({ "sluice.yaml": "a", "sub/dir/b.txt": "" });
    const loading = loadConfig({ cwd: join(folder, "sub/dir"), env: {}, connectors });
    expect(await refusal(loading)).toMatch(/^\.\.\/\.\.\/sluice\.yaml:1:1: /);
  });

  it("throws nothing but ConfigErrors, whatever the file holds", async () => {
    const folder = await makeProject({});
    const mark = constantFrom(...marks);
    const broken = record({ from: place, to: place, mark, text: string({ unit: "binary" }) }).map(
      (edit) => soundYaml.slice(0, edit.from) + edit.mark + edit.text + soundYaml.slice(edit.to),
    );
    await assert(
      asyncProperty(broken, async (yaml) => {
        await writeFile(join(folder, "sluice.yaml"), yaml);
        try {
          await loadConfig({ cwd: folder, env: {}, connectors });
        } catch (error) {
          if (!(error instanceof ConfigError)) throw error;
        }
      }),
      { numRuns: trials(60) },
    );
  });
});
