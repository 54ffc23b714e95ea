import { inspect } from "node:util";

import { describe, expect, it } from "vitest";

import { notifyTargetsMax } from "../../../../src/limits.ts";
import { loadYaml, problemsOf, soundYaml } from "../support.ts";

const url = "https://hooks.example/T0/canary-path";
const text = "a text of any kind";

/** The sound configuration with this under `notify:`, in line 11. */
function withNotify(members: string): string {
  return `${soundYaml}notify: ${members}\n`;
}

/** A secret of Standard Webhooks with a key of this many bytes. */
function keyOf(bytes: number): string {
  return `whsec_${Buffer.alloc(bytes, 7).toString("base64")}`;
}

describe("notify", () => {
  it("is nobody unless it is configured", async () => {
    expect((await loadYaml(soundYaml)).notify).toEqual([]);
  });

  it("takes one receiver, signs events and tells of rejects unless told otherwise", async () => {
    const { notify } = await loadYaml(withNotify(`{ url: "${url}", secret: secret }`));
    expect(notify).toMatchObject([{ format: "event", on: "done_with_rejects" }]);
    expect(notify[0]?.target).toMatch(/^hooks\.example-[\da-f]{8}$/);
    expect([notify[0]?.url.reveal(), notify[0]?.secret?.reveal()]).toEqual([url, "secret"]);
  });

  it("shows neither the path nor the secret of a receiver (T11)", async () => {
    const { notify } = await loadYaml(withNotify(`{ url: "${url}", secret: canary-secret }`));
    expect(`${JSON.stringify(notify)}${inspect(notify)}`).not.toContain("canary");
  });

  it("takes a list, and names each receiver by its whole address", async () => {
    const two = `[{ url: "${url}", format: slack, on: failed }, { url: "${url}2", format: slack, on: always }]`;
    const { notify } = await loadYaml(withNotify(two));
    expect(notify.map(({ on }) => on)).toEqual(["failed", "always"]);
    expect(new Set(notify.map(({ target }) => target)).size).toBe(2);
  });

  it("reads address and secret from variables", async () => {
    const yaml = withNotify('{ url: "${HOOK}", secret: "${SECRET}" }');
    const { notify } = await loadYaml(yaml, { HOOK: url, SECRET: "x" });
    expect(notify).toHaveLength(1);
  });

  it.each([["http://127.0.0.1:9/x"], ["http://localhost:9/x"]])(
    "takes the loopback address %s",
    async (address) => {
      expect((await loadYaml(withNotify(`{ url: "${address}", secret: s }`))).notify).toHaveLength(
        1,
      );
    },
  );

  it("takes an address that is listed", async () => {
    const yaml = withNotify('{ url: "http://10.0.0.7/x", secret: s }');
    const listed = yaml.replace(
      "api_key: abc123",
      "api_key: abc123\n  allow_insecure_hosts: [10.0.0.7]",
    );
    expect((await loadYaml(listed)).notify).toHaveLength(1);
  });

  it.each([
    ["{ secret: s }", '11:1: "url" is missing'],
    [
      "{ url: hooks.example, secret: s }",
      "11:16: must be an address such as https://example.com/hooks",
    ],
    [
      '{ url: "ftp://hooks.example", secret: s }',
      "11:16: is neither https nor http: use https, or api.allow_insecure_hosts if that is meant",
    ],
    [
      '{ url: "http://hooks.example", secret: s }',
      "11:16: is plain http to hooks.example: use https, or api.allow_insecure_hosts if that is meant",
    ],
    [
      '{ url: "https://me@hooks.example", secret: s }',
      "11:16: has user info: use https, or api.allow_insecure_hosts if that is meant",
    ],
    [
      '[{ url: "https://169.254.169.254", secret: s }]',
      "11:17: has the private address 169.254.169.254: use https, or api.allow_insecure_hosts if that is meant",
    ],
    [`{ url: "${url}" }`, "11:1: a secret is missing: events are signed"],
    [
      `{ url: "${url}", format: slack, secret: s }`,
      "11:79: is of no use to Slack, which checks no signature",
    ],
    [`{ url: "${url}", secret: "" }`, "11:64: must not be empty"],
    [`{ url: "${url}", secret: "${text}" }`, "11:64: must be printable ASCII without blanks"],
    [
      `{ url: "${url}", secret: s, on: allways }`,
      '11:71: must be one of failed, done_with_rejects, always (did you mean "always"?)',
    ],
    [`{ url: "${url}", secret: s, format: teams }`, "11:75: must be one of event, slack"],
    [`{ url: "${url}", secret: s, syncs: [a] }`, '11:67: unknown member "syncs"'],
    ["[]", "11:1: must not be empty"],
    [
      '[{ url: "https://a.example", format: slack }, { url: "https://A.example/", secret: s, on: always }]',
      "11:62: is the address of another receiver, and gets each message once: keep one of the two",
    ],
  ])("refuses mistake %#", async (members, problem) => {
    expect(await problemsOf(withNotify(members))).toEqual([problem]);
  });

  it.each([
    [23, false],
    [24, true],
    [64, true],
    [65, false],
  ])("answers a Standard Webhooks secret of %i bytes with %s", async (bytes, isTaken) => {
    const loading = loadYaml(withNotify(`{ url: "${url}", secret: ${keyOf(bytes)} }`));
    expect(
      await loading.then(
        () => true,
        () => false,
      ),
    ).toBe(isTaken);
  });

  it("refuses a Standard Webhooks secret that is not a base64", async () => {
    const secret = keyOf(30).replace("B", "!");
    expect(await problemsOf(withNotify(`{ url: "${url}", secret: "${secret}" }`))).toEqual([
      "11:64: must be whsec_ and 24 to 64 bytes in base64, or a text of another kind",
    ]);
  });

  it.each([notifyTargetsMax - 1, notifyTargetsMax, notifyTargetsMax + 1])(
    "takes ten receivers at most: %i",
    async (count) => {
      const list = Array.from({ length: count }, (_, n) => `{ url: "${url}${n}", format: slack }`);
      const loading = loadYaml(withNotify(`[${list.join(", ")}]`));
      const taken = await loading.then(
        ({ notify }) => notify.length,
        () => 0,
      );
      expect(taken).toBe(count <= notifyTargetsMax ? count : 0);
    },
  );
});
