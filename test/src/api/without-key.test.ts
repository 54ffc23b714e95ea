import { describe, expect, it } from "vitest";

import { basicCredentials, withoutKey } from "../../../src/api/without-key.ts";
import { Secret } from "../../../src/security/secret.ts";

const key = new Secret('key-"7f3a"\\/x');

/** The part of an answer's text that may be shown. */
function shown(text: string): string {
  return withoutKey({ status: 401, headers: {}, text, sentWhole: true }, key).text;
}

describe("withoutKey", () => {
  it.each([
    ["as it is", key.reveal()],
    ["as JSON writes it", JSON.stringify(key.reveal()).slice(1, -1)],
    ["as a Basic header has it", basicCredentials(key)],
    [
      "in numbers",
      key.reveal().replaceAll(/./g, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`),
    ],
    ["with its slash escaped", String.raw`key-\"7f3a\"\\\/x`],
  ])("strikes the key out, written %s", (_how, text) => {
    expect(shown(`{"message":"${text} is unknown"}`)).toBe('{"message":"[secret] is unknown"}');
  });

  it("strikes it out of where the answer leads", () => {
    const headers = { location: `https://evil.example/${basicCredentials(key)}`, date: "x" };
    const seen = withoutKey({ status: 302, headers, text: "", sentWhole: true }, key);
    expect(seen.headers).toEqual({ location: "https://evil.example/[secret]", date: "x" });
  });

  it.each(["", "{}", String.raw`"\\u006b \n \" \u00e9"`, "<Code>AccessDenied</Code>"])(
    "leaves %j as it is",
    (text) => {
      expect(shown(text)).toBe(text);
    },
  );
});
