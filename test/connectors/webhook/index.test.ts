import { describe, expect, it } from "vitest";

import { webhook } from "../../../connectors/webhook/index.ts";
import { inputJsonSchema } from "../../../src/config/schema/member-names.ts";
import { Secret, packSecrets, unpackSecrets } from "../../../src/security/secret.ts";
import { configOf, incoming, published, publishedAt } from "./support.ts";

describe("webhook", () => {
  it("says how deliveries come in", () => {
    const config = configOf({
      secret: published.secret,
      body_max: "2MB",
      linger: "1s",
      retention: "7d",
      backlog_max: 5,
    });
    expect(webhook.endpoint(config)).toEqual({
      path: "/hooks/forms",
      bodyBytesMax: 2_000_000,
      backlogMax: 5,
      lingerMs: 1_000,
      retentionMs: 7 * 86_400_000,
    });
  });

  it("believes what it signs, in another thread too", () => {
    const config = unpackSecrets(
      structuredClone(packSecrets(configOf({ secret: [published.secret] }))),
    );
    const body = Buffer.from(published.body);
    const headers = webhook.sign?.({ config, body, id: published.id, at: publishedAt }) ?? {};
    expect(headers).toMatchObject({ "webhook-signature": published.signature });
    expect(webhook.receive({ config, request: incoming(headers, body) })).toMatchObject({
      events: [{ json: published.body }],
    });
  });

  it("describes each of its members to editors, but the folder that nobody writes", () => {
    const { properties = {} } = inputJsonSchema(webhook.config);
    const silent = Object.entries(properties)
      .filter(([, member]) => typeof member === "object" && member.description === undefined)
      .map(([name]) => name);
    expect(silent).toEqual(["folder"]);
  });

  it("shows no secret of its configuration", () => {
    const config = configOf({ secret: published.secret });
    expect(config.secret?.every((one) => one instanceof Secret)).toBe(true);
    expect(JSON.stringify(config)).not.toContain(published.secret.slice("whsec_".length));
  });
});
