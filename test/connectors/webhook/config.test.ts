import { describe, expect, it } from "vitest";

import { webhookConfig } from "../../../connectors/webhook/config.ts";
import {
  backlogHighest,
  bodyBytesHighest,
  lingerMsMax,
  webhookPathCharsMax,
  secretsMax,
} from "../../../connectors/webhook/limits.ts";
import { checkData } from "../../../src/config/messages/mistakes.ts";
import { published } from "./support.ts";

const path = "/hooks/forms";
const { secret } = published;

/** The errors for some members: path and message of each mistake. */
function mistakesOf(members: object): readonly string[] {
  return checkData(webhookConfig, members).mistakes.map(
    (mistake) => `${mistake.path.join(".")}: ${mistake.message}`,
  );
}

function takes(members: object): boolean {
  return mistakesOf({ path, secret, ...members }).length === 0;
}

describe("webhookConfig", () => {
  it("needs a path and a secret, and fills in the rest", () => {
    expect(JSON.parse(JSON.stringify(webhookConfig.parse({ path, secret })))).toEqual({
      path,
      secret: ["[secret]"],
      signature: "standard",
      allow_unsigned: false,
      body_max: 1_000_000,
      linger: 300,
      retention: 86_400_000,
      backlog_max: 1_000_000,
    });
  });

  it("reads the name of a header in lower case", () => {
    const config = webhookConfig.parse({ path, secret, event_id: { header: "X-Event-ID" } });
    expect(config.event_id).toEqual({ header: "x-event-id" });
  });

  it("takes several secrets", () => {
    const config = webhookConfig.parse({ path, secret: [secret, "another secret, longer"] });
    expect(config.secret?.map((one) => one.reveal())).toEqual([secret, "another secret, longer"]);
  });

  it.each<[string, object, string]>([
    ["no path", { secret }, 'path: "path" is missing'],
    ["no secret", { path }, "secret: a secret is missing"],
    ["no secret of GitHub's", { path, signature: "github" }, "secret: a secret is missing"],
    ["no secrets at all", { path, secret: [] }, "secret: must not be empty"],
    ["a number for a secret", { path, secret: 1 }, "secret: must be text or a list"],
    ["an unknown signature", { path, secret, signature: "githup" }, "signature: must be one of"],
    ["nothing signed and nobody asked", { path, signature: "none" }, "signature: none takes what"],
    [
      "signed and unsigned",
      { path, secret, allow_unsigned: true },
      "allow_unsigned: only signed deliveries",
    ],
    [
      "a secret for nothing",
      { path, secret, signature: "none", allow_unsigned: true },
      "secret: is of no use without a signature",
    ],
    [
      "base64 that is none",
      { path, secret: "whsec_hush*hush*hush*hush*" },
      "secret: must be base64",
    ],
    ["base64url", { path, secret: "whsec_hush_hush-hush_hush-hush_" }, "secret: must be base64"],
    [
      "an asymmetric key",
      { path, secret: `whpk_${"hush".repeat(11)}` },
      "secret: is of an asymmetric",
    ],
    ["a blank after a secret", { path, secret: "hush hush hush hush\n" }, "secret: begins or ends"],
    [
      "a token with a blank",
      { path, signature: "bearer", secret: "hush hush hush hush" },
      "secret: must be printable ASCII",
    ],
    ["a short one of two secrets", { path, secret: [secret, "hush"] }, "secret.1: is too short"],
    [
      "an event id of two kinds",
      { path, secret, event_id: { header: "a", pointer: "/a" } },
      "event_id.",
    ],
    ["an event id of no kind", { path, secret, event_id: {} }, "event_id."],
    [
      "a header that is none",
      { path, secret, event_id: { header: "x event" } },
      "event_id.header: must",
    ],
    ["an unknown member", { path, secret, secrets: [] }, 'secrets: unknown member "secrets"'],
    ["a linger without a unit", { path, secret, linger: 300 }, "linger: must be a duration"],
  ])("refuses %s, and shows no secret", (_, members, mistake) => {
    expect(mistakesOf(members).join("\n")).toContain(mistake);
    expect(mistakesOf(members).join("\n")).not.toMatch(/hush/);
  });

  it.each(["standard", "github", "stripe", "bearer"])(
    "wants 16 bytes of a secret of %s",
    (signature) => {
      const lengths = [15, 16, 17].map((length) =>
        takes({ signature, secret: "x".repeat(length) }),
      );
      expect(lengths).toEqual([false, true, true]);
    },
  );

  it("counts the bytes of a secret once its base64 is read", () => {
    const keys = [15, 16, 17].map((bytes) => `whsec_${Buffer.alloc(bytes, 7).toString("base64")}`);
    expect(keys.map((key) => takes({ secret: key }))).toEqual([false, true, true]);
  });

  it("takes a secret of Stripe's as the text it is", () => {
    expect(takes({ signature: "stripe", secret: "whsec_no*base64*at*all" })).toBe(true);
  });

  it.each([
    ["/hooks/forms", true],
    ["/h", true],
    ["/Hooks/a-b_c.d~e/1", true],
    ["/...", true],
    ["/health", true],
    ["/livez/forms", true],
    ["/livez", false],
    ["/readyz", false],
    ["/metrics", false],
    ["", false],
    ["/", false],
    ["hooks", false],
    ["//hooks", false],
    ["/hooks/", false],
    ["/hooks?a=1", false],
    ["/hooks#a", false],
    ["/hooks/:id", false],
    ["/hooks/*", false],
    ["/hooks/%2e", false],
    ["/hooks/é", false],
    ["/hooks forms", false],
    ["/.", false],
    ["/hooks/../metrics", false],
    ["/hooks/..", false],
    ["https://example.com/hooks", false],
  ])("takes the path %j: %j", (written, isTaken) => {
    expect(takes({ path: written })).toBe(isTaken);
  });

  it.each([
    ["/id", true],
    ["/", true],
    ["/data/0/id", true],
    ["/a~1b/~0", true],
    ["", false],
    ["id", false],
    ["/a~", false],
    ["/a~2", false],
  ])("takes the pointer %j: %j", (pointer, isTaken) => {
    expect(takes({ event_id: { pointer } })).toBe(isTaken);
  });

  it.each<[string, number, (value: number) => object]>([
    [
      "characters of a path",
      webhookPathCharsMax,
      (chars) => ({ path: `/${"a".repeat(chars - 1)}` }),
    ],
    [
      "characters of a pointer",
      webhookPathCharsMax,
      (chars) => ({ event_id: { pointer: `/${"a".repeat(chars - 1)}` } }),
    ],
    ["secrets", secretsMax, (count) => ({ secret: Array<string>(count).fill(secret) })],
    ["bytes of a body", bodyBytesHighest, (bytes) => ({ body_max: bytes })],
    ["milliseconds of linger", lingerMsMax, (ms) => ({ linger: `${ms}ms` })],
    ["waiting events", backlogHighest, (events) => ({ backlog_max: events })],
  ])("takes so many %s and no more: %i", (_, max, members) => {
    expect([max - 1, max, max + 1].map((value) => takes(members(value)))).toEqual([
      true,
      true,
      false,
    ]);
  });

  it("wants room for one event at least", () => {
    expect([0, 1, 2].map((events) => takes({ backlog_max: events }))).toEqual([false, true, true]);
  });
});
