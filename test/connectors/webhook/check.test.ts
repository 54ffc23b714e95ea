import { describe, expect, it } from "vitest";

import { checkWebhook } from "../../../connectors/webhook/check.ts";
import { configOf, openConfig, published } from "./support.ts";

const token = "hush-hush-hush-hush";

/** The findings of a connection, one line each. */
async function linesOf(config: ReturnType<typeof configOf>): Promise<readonly string[]> {
  const log = { info: () => undefined, warn: () => undefined };
  const findings = await checkWebhook({ config, signal: new AbortController().signal, log });
  return findings.map(({ name, ok, detail }) => `${name} ${ok ? "ok" : "not ok"}: ${detail}`);
}

describe("checkWebhook", () => {
  it("says what the sender must have been told", async () => {
    expect(await linesOf(configOf({ secret: published.secret }))).toEqual([
      "path ok: POST /hooks/forms",
      "signature ok: Standard Webhooks, over id, timestamp and body",
      "secret 1 ok: 24 bytes, the base64 after whsec_",
      "event id ok: header webhook-id",
    ]);
  });

  it.each<[string, object, RegExp]>([
    [
      "a secret that the sender may mean as base64",
      { secret: token },
      /^secret 1 ok: 19 bytes, warning: the text itself/,
    ],
    [
      "a secret that is base64 without its prefix",
      { secret: "aHVzaC1odXNoLWh1c2gtaHVzaC1odXNo" },
      /^secret 1 ok: 32 bytes, the text itself, or the base64 that it is: both are tried/,
    ],
    [
      "a secret that is not Stripe's",
      { signature: "stripe", secret: token },
      /warning: Stripe's signing secrets/,
    ],
    [
      "a content type that GitHub starts with",
      { signature: "github", secret: token },
      /sent as application\/json/,
    ],
    [
      "a header that nobody signs",
      { signature: "github", secret: token },
      /x-github-delivery, which nobody signs/,
    ],
    [
      "an id in the body",
      { signature: "stripe", secret: `whsec_${token}` },
      /^event id ok: at \/id of each event/m,
    ],
    [
      "deliveries that cannot be told apart",
      { signature: "bearer", secret: token },
      /^event id ok: warning: none/m,
    ],
  ])("tells of %s, and shows no secret", async (_, members, expected) => {
    const lines = (await linesOf(configOf(members))).join("\n");
    expect(lines).toMatch(new RegExp(expected, "m"));
    expect(lines).not.toMatch(/hush/);
  });

  it("warns of an endpoint that is open to all", async () => {
    expect(await linesOf(openConfig())).toContain(
      "signature ok: warning: none, so anyone who knows the path may post",
    );
  });

  it("has a finding for each secret", async () => {
    const lines = await linesOf(configOf({ signature: "github", secret: [token, `${token}!`] }));
    expect(lines).toContain("secret 1 ok: 19 bytes, the text itself");
    expect(lines).toContain("secret 2 ok: 20 bytes, the text itself");
  });
});
