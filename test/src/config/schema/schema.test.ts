import { describe, expect, it } from "vitest";

import { changed, loadYaml, problemsOf, withMember } from "../support.ts";

const addressMessage =
  'must be "sandbox" or an address such as https://api.example.com, without ? or #';
const allowanceMessage = "use https, or allow_insecure_hosts if that is meant";
const nameMessage = 'a name is a small letter and up to 63 small letters, digits, "_" or "-"';

/** The sound configuration with one more member in `api`, in line 3. */
function withApi(member: string): string {
  return changed("api_key: abc123", `${member}\n  api_key: abc123`);
}

/** The sound configuration with one more member at the top, in line 2. */
function withTop(member: string): string {
  return changed("version: 1", `version: 1\n${member}`);
}

describe("configSchema", () => {
  it.each([
    ["", "1:1: must be a mapping such as { name: value }, not empty"],
    [changed("version: 1\n", ""), '1:1: "version" is missing'],
    [changed("version: 1", "version: 2"), "1:10: must be 1"],
    [changed("version: 1", 'version: "1"'), "1:10: must be 1, not text"],
    [
      changed("  api_key: abc123\n", ""),
      "2:1: must be a mapping such as { name: value }, not empty",
    ],
    [changed("api_key: abc123", "account: a"), "2:1: give api_key or api_key_file"],
    [changed("abc123", '""'), "3:12: must not be empty"],
    [changed("abc123", '"a b"'), "3:12: must be printable ASCII without blanks"],
    [changed("abc123", "12345"), "3:12: must be text, not a number"],
    [changed("abc123", ""), "3:3: must be text, not empty"],
    [withApi("base_url: api.example.com"), `3:13: ${addressMessage}`],
    [withApi("base_url: https://a.example?b"), `3:13: ${addressMessage}`],
    [
      withApi("base_url: http://a.example"),
      `3:13: is plain http to a.example: ${allowanceMessage}`,
    ],
    [
      withApi("legacy_base_url: https://169.254.169.254"),
      `3:20: has the private address 169.254.169.254: ${allowanceMessage}`,
    ],
    [withApi("base_url: https://me@a.example"), `3:13: has user info: ${allowanceMessage}`],
    [withApi("base_url: ftp://a.example"), `3:13: is neither https nor http: ${allowanceMessage}`],
    [withApi("requests_per_second: 0"), "3:24: must be above 0"],
    [withApi("requests_per_second: .inf"), "3:24: must be a number, not Infinity"],
    [withApi("allow_insecure_hosts: sandbox"), "3:25: must be a list, not text"],
    [withApi('account: "a b"'), '3:12: must be 1 to 64 letters, digits, ".", "_" or "-"'],
    [withApi("credits_retry_after: 0s"), "3:24: must be between 1ms and 3650d"],
    [withTop("state: postgres://db/x"), "2:8: must be a folder"],
    [
      withTop("temporal: { task_queue: a b }"),
      '2:25: must be 1 to 100 letters, digits, ".", "_" or "-"',
    ],
    [withTop("advanced: { chunks_per_run: 0 }"), "2:29: must be at least 1"],
    [withTop("jobs: {}"), '2:1: unknown member "jobs"'],
    [changed("  accounts:", "  Accounts:"), `7:3: ${nameMessage}`],
    [changed("  accounts:", "  __proto__:"), '7:3: "__proto__" cannot be a name'],
    [withMember("stream: contact"), '11:5: "stream" is here twice'],
    [withMember("schedule: daily"), "11:15: must be a mapping such as { name: value }, not text"],
    [withMember("reject_limit: { rate: 6 }"), "11:27: must be between 0 and 1, or 0% and 100%"],
    [withMember("min_rows: -1"), "11:15: must be at least 0"],
    [withMember("min_rows: 1.5"), "11:15: must be a whole number"],
    [
      withMember("mode: lihgtweight"),
      '11:11: must be one of auto, lightweight, heavyweight (did you mean "lightweight"?)',
    ],
    [
      withMember("resend_after: 30"),
      "11:19: must be a duration such as 500ms, 30s, 5m, 12h or 30d",
    ],
    [withMember("pii: { rejects: no }"), "11:21: must be one of keep, drop, hash"],
  ])("refuses mistake %#", async (yaml, problem) => {
    expect(await problemsOf(yaml)).toEqual([problem]);
  });

  it.each([
    ["chunk: { records: 0 }", "11:23: must be at least 1"],
    ["chunk: { records: 1 }", undefined],
    ["chunk: { records: 999999 }", undefined],
    ["chunk: { records: 1000000 }", undefined],
    ["chunk: { records: 1000001 }", "11:23: must be at most 1000000"],
    ["chunk: { bytes: 1999999999 }", undefined],
    ["chunk: { bytes: 2000000000 }", undefined],
    ["chunk: { bytes: 2000000001 }", "11:21: must be between 1 and 2000000000 bytes"],
    ["chunk: { level: 0 }", "11:21: must be at least 1"],
    ["chunk: { level: 1 }", undefined],
    ["chunk: { level: 8 }", undefined],
    ["chunk: { level: 9 }", undefined],
    ["chunk: { level: 10 }", "11:21: must be at most 9"],
    ["lightweight: { parts_max: 0 }", "11:31: must be at least 1"],
    ["lightweight: { parts_max: 99 }", undefined],
    ["lightweight: { parts_max: 100 }", undefined],
    ["lightweight: { parts_max: 101 }", "11:31: must be at most 100"],
  ])("answers %s with %s", async (member, problem) => {
    const answer = await loadYaml(withMember(member)).then(
      () => [],
      async () => await problemsOf(withMember(member)),
    );
    expect(answer).toEqual(problem === undefined ? [] : [problem]);
  });

  it.each([63, 64])("accepts a name of %i characters", async (length) => {
    const { syncs } = await loadYaml(changed("  accounts:", `  ${"a".repeat(length)}:`));
    expect([...syncs.keys()]).toEqual(["a".repeat(length)]);
  });

  it("refuses a name of 65 characters", async () => {
    const yaml = changed("  accounts:", `  ${"a".repeat(65)}:`);
    expect(await problemsOf(yaml)).toEqual([`7:3: ${nameMessage}`]);
  });

  it.each([
    "base_url: http://127.0.0.1:8089",
    "base_url: http://localhost",
    "allow_insecure_hosts: [sandbox]\n  base_url: http://sandbox:8089",
  ])("accepts %j", async (member) => {
    expect((await loadYaml(withApi(member))).api.baseUrl).toBeInstanceOf(URL);
  });
});
