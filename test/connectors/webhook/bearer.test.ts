import { describe, expect, it } from "vitest";

import { bearer } from "../../../connectors/webhook/bearer.ts";
import { Secret } from "../../../src/security/secret.ts";
import { incoming } from "./support.ts";

const token = "token-of-sixteen-bytes";
const secrets = [new Secret("another-token-of-ours"), new Secret(token)];

function verdict(authorization: string | undefined): object {
  return bearer.verify(incoming({ authorization }, "{}"), secrets);
}

describe("bearer", () => {
  it("believes what it signs", () => {
    const headers = bearer.sign({ id: "x", body: Buffer.from("{}"), at: 0 }, new Secret(token));
    expect(headers).toEqual({ authorization: `Bearer ${token}` });
    expect(bearer.verify(incoming(headers, "anything"), secrets)).toEqual({});
  });

  it.each([
    `Bearer ${token}`,
    `bearer ${token}`,
    `BEARER ${token}`,
    "Bearer another-token-of-ours",
  ])("believes %j", (authorization) => {
    expect(verdict(authorization)).toEqual({});
  });

  it.each([
    "Bearer ",
    `Bearer  ${token}`,
    `Bearer ${token} `,
    `Bearer ${token.slice(0, -1)}`,
    `Bearer ${token}x`,
    `Bearer ${token.toUpperCase()}`,
    `Bearer ${token}, Bearer ${token}`,
  ])("refuses the token of %j", (authorization) => {
    expect(verdict(authorization)).toEqual({ refuse: 401, reason: "bad_signature" });
  });

  it.each([undefined, "", "Bearer", token, `Basic ${btoa(`sluice:${token}`)}`, `Bearer\t${token}`])(
    "finds no token in %j",
    (authorization) => {
      expect(verdict(authorization)).toEqual({ refuse: 401, reason: "no_signature" });
    },
  );
});
