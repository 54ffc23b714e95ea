import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { beforeEach, describe, expect, it } from "vitest";

import { sources } from "../../../../connectors/registry.ts";
import {
  commandOf,
  inOptions,
  isMoreAsked,
  readOptions,
} from "../../../../src/cli/backfill/input.ts";
import type { Config } from "../../../../src/config/config.ts";
import { loadConfig } from "../../../../src/config/load.ts";
import { ConfigError } from "../../../../src/errors.ts";
import { temporaryFolder } from "../../../support/process/temporary-folder.ts";

const yaml = `version: 1
api: { api_key: k }
connections:
  crm: { connector: csv, path: a.csv }
syncs:
  accounts:
    from: crm
    stream: account
    record: { account_id: id, domain: domain, account_properties: {} }
`;

let config: Config;

beforeEach(async () => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, "sluice.yaml"), yaml);
  config = await loadConfig({ cwd: folder, env: {}, connectors: sources });
});

const now = new Date("2026-11-27T00:30:00Z");

function refused(options: Omit<Parameters<typeof readOptions>[2], "now">): ConfigError {
  try {
    readOptions(config, "accounts", { ...options, now });
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error("it was not refused");
}

describe("readOptions", () => {
  it("makes the input of the workflow, with what was asked for and nothing else", () => {
    const json = { json: true, yes: true };
    expect(readOptions(config, "accounts", { now })).toEqual({ sync: "accounts", approve: "ask" });
    const asked = { from: "line 2", to: "line 9", lanes: 2, send: "all" } as const;
    const options = { ...asked, reason: "n" };
    expect(readOptions(config, "accounts", { ...options, ...json, now })).toEqual({
      sync: "accounts",
      ...asked,
      note: "n",
      approve: "auto",
    });
  });

  it("says every problem at its option, with a command line that has none", () => {
    const { message, hint } = refused({ from: "fortnight ago", lanes: 99, reason: "it's late" });
    expect(message).toMatch(/^the options are wrong:\n✖ /);
    expect(message).toContain("→ at --from");
    expect(message).toContain("→ at --lanes");
    expect(message).not.toContain("Try");
    expect(message).not.toContain("{");
    expect(hint).toMatch(/^such as: sluice backfill accounts /);
    expect(hint).toContain("--lanes 4");
    expect(hint).toContain(String.raw`--reason 'it'\''s late'`);
  });

  it("gives two words the name of their member, and names them as options again", () => {
    const asked = { to: "line 9", timeZone: "Europe/Paris", advanceCheckpoint: true };
    expect(readOptions(config, "accounts", { ...asked, now })).toEqual({
      sync: "accounts",
      to: "line 9",
      time_zone: "Europe/Paris",
      advance_checkpoint: true,
      approve: "ask",
    });
    expect(refused({ reason: "x".repeat(501) }).message).toContain("→ at --reason");
    const { message, hint } = refused({ ...asked, timeZone: "Europe/Pariss" });
    expect(message).toContain("→ at --time-zone");
    expect(hint).toBe(
      "such as: sluice backfill accounts --to 'line 9' --time-zone Europe/Paris --advance-checkpoint",
    );
  });

  it("says what does not go together", () => {
    const { message, hint } = refused({ key: ["a1"], from: "line 2" });
    expect(message).toContain("does not go with --from: leave out --key, or --from");
    expect(hint).toBe("such as: sluice backfill accounts --key a1");
  });
});

describe("inOptions", () => {
  it("names members as the options that stand for them, and leaves what is quoted otherwise", () => {
    const hint = 'leave out "from": it then begins; or name a place, such as "line 3"; see "keys"';
    expect(inOptions(hint)).toBe(
      'leave out --from: it then begins; or name a place, such as "line 3"; see --key',
    );
    expect(inOptions('ask for "lanes": 1, or "time_zone"')).toBe(
      "ask for --lanes 1, or --time-zone",
    );
    for (const other of ['✖ "to" is neither a date', 'companies has no column "limit"']) {
      expect(inOptions(other)).toBe(other);
    }
  });
});

describe("commandOf", () => {
  it("quotes what a shell would break", () => {
    const input = { sync: "accounts", from: "last 30 days", keys: ["eu,1", 2], limit: 7, lanes: 2 };
    expect(commandOf(input)).toBe(
      "sluice backfill accounts --from 'last 30 days' --key eu,1 --key 2 --limit 7 --lanes 2",
    );
    expect(commandOf({ sync: "accounts", note: "$(rm)" })).toContain("--reason '$(rm)'");
  });
});

describe("isMoreAsked", () => {
  it("is whether a member of the input is there", () => {
    expect(isMoreAsked({})).toBe(false);
    expect(isMoreAsked({ send: "all" })).toBe(true);
  });
});
