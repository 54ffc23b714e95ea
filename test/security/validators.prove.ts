import { describe, expect, it } from "vitest";
import { parseDocument } from "yaml";

import { quoteForeign, readEnvelope, saysCreditsExhausted } from "../../src/api/envelope.ts";
import { parseHttpDate, retryAfterMs } from "../../src/api/http/retry-after.ts";
import { withoutKey } from "../../src/api/without-key.ts";
import { interpolate, referencesIn } from "../../src/config/document/interpolate.ts";
import { secretFault } from "../../src/config/document/secret-file.ts";
import { strikeOutSecrets } from "../../src/config/messages/shown-text.ts";
import { duration, share, size } from "../../src/config/schema/units.ts";
import { configBytesMax } from "../../src/limits.ts";
import { coercions } from "../../src/mapping/coerce.ts";
import { parseTemplate } from "../../src/mapping/template.ts";
import { validateRecord } from "../../src/records/validate-record.ts";
import { Secret } from "../../src/security/secret.ts";
import { plainText } from "../../src/text/plain-text.ts";
import { parseSyncInput } from "../../workflows/sync/sync-input.ts";
import { processorMs, slowed } from "../support/process/processor-time.ts";

const millisecondsMax = 50;

/** One piece repeated to this many characters, with an end that makes a matcher backtrack. */
function filled(piece: string, length: number, end = ""): string {
  return piece.repeat(Math.ceil(length / piece.length)).slice(0, length - end.length) + end;
}

/** Texts that may be slow for a pattern: long runs of one piece, and an end that does not match. */
function hostileTexts(length: number): readonly string[] {
  const letters = "a.-_0 @/:\\\"'{}[]()$%=<>\u00ad\u202e\uff0e".split("");
  const words =
    "a. a- a@ -- ://: ://a: {a {{ ${ ${a:- <Code> <Code>a xn--a. é. 👩‍ %41 \\u0061 1e 0. T0".split(
      " ",
    );
  const pieces = [...letters, ...words, "credit ", "\r\n"];
  const runs = pieces.flatMap((piece) => [filled(piece, length), filled(piece, length, "!")]);
  const starts = ["http://", "2026-01-01T00:00:00.", "0.", "1e", '"', "-", "sha256:", "a@"];
  return [...runs, ...starts.map((start) => start + filled("9a"[start.length % 2] ?? "", length))];
}

/** The texts for which a validator is too slow in every try, by their beginnings. */
function slowOnes(validate: (text: string) => unknown, length: number): string[] {
  const isQuick = (text: string): boolean =>
    [1, 2, 3, 4, 5].some(() => {
      const ms = processorMs(() => validate(text));
      return ms < millisecondsMax || ms < slowed(millisecondsMax);
    });
  return hostileTexts(length)
    .filter((text) => !isQuick(text))
    .map((text) => text.slice(0, 20));
}

const answer = { status: 401, headers: {}, sentWhole: true };
const nameOnly = { mode: "auto" };

/** Everything of ours that applies a pattern of its own to text from outside. */
const validators: readonly (readonly [string, (text: string) => unknown])[] = [
  ...Object.entries(coercions),
  ["a record", (text) => validateRecord("account")({ account_id: text, domain: text })],
  ["an event", (text) => validateRecord("account_event")({ event_timestamp: text })],
  ["Retry-After", (text) => retryAfterMs({ "retry-after": text, date: text }, 0)],
  ["an HTTP date", (text) => parseHttpDate(text, 0)],
  ["an error answer", readEnvelope],
  ["credits", (text) => saysCreditsExhausted({ message: text, issues: [] })],
  ["the key in an answer", (text) => withoutKey({ ...answer, text }, new Secret("key"))],
  ["a quoted text", quoteForeign],
  ["a plain text", plainText],
  ["a secret", secretFault],
  ["a duration", (text) => duration().safeParse(text)],
  ["a share", (text) => share().safeParse(text)],
  ["a size", (text) => size(9).safeParse(text)],
  ["a workflow's input", (text) => parseSyncInput({ sync: text, ...nameOnly }, "x")],
];

/** Validators used only on a configuration, which is shorter. */
const ofConfigurations: readonly (readonly [string, (text: string) => unknown])[] = [
  ["a template", parseTemplate],
  ["variables", (text) => interpolate(text, new Map())],
  ["references", referencesIn],
  ["secrets", (text) => strikeOutSecrets(parseDocument("x: y"), text)],
];

describe("a text of a megabyte (T19)", () => {
  it.each(validators)("is judged within 50 ms: %s", (_name, validate) => {
    expect(slowOnes(validate, 1_000_000)).toEqual([]);
  });
});

describe("a configuration as long as may be (T19)", () => {
  it.each(ofConfigurations)("is judged within 50 ms: %s", (_name, validate) => {
    expect(slowOnes(validate, configBytesMax)).toEqual([]);
  });
});
