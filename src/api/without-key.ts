import type { Secret } from "../security/secret.ts";
import type { Answer } from "./exchange.ts";

/** The API key as the user name of a Basic header, with an empty password (docs/facts/service.md#authentication). */
export function basicCredentials(apiKey: Secret): string {
  // Latin-1, as the x-api-key header is.
  return Buffer.from(`${apiKey.reveal()}:`, "latin1").toString("base64");
}

/** An answer in which the API key is struck out, however it is written: a service may quote the key it refuses. */
export function withoutKey(answer: Answer, apiKey: Secret): Answer {
  const forms = [apiKey.reveal(), asInJson(apiKey.reveal()), basicCredentials(apiKey)];
  const strike = (text: string): string =>
    forms.reduce((left, form) => left.replaceAll(form, String(apiKey)), text);
  const { location } = answer.headers;
  const headers =
    typeof location === "string"
      ? { ...answer.headers, location: strike(location) }
      : answer.headers;
  return { ...answer, headers, text: strike(withPlainLetters(strike(answer.text))) };
}

function asInJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** The printable characters from U+0020 to U+007F as they are in a JSON string. */
const printable = Array.from({ length: 0x60 }, (_, at) => asInJson(String.fromCharCode(0x20 + at)));

/** JSON in which every printable character is written as itself: a key must not hide as `\u006b\u0065\u0079`. */
function withPlainLetters(json: string): string {
  // Pairs of backslashes are skipped whole: they do not begin another escape.
  return json.replaceAll(/(?:\\\\)+|\\u00([2-7][\da-f])|\\\//gi, (escape, code?: string) => {
    if (code !== undefined) return printable[Number.parseInt(code, 16) - 0x20] ?? escape;
    return escape === String.raw`\/` ? "/" : escape;
  });
}
