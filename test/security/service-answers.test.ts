import { inspect } from "node:util";
import { gzipSync } from "node:zlib";

import { describe, expect, it } from "vitest";

import { endpointNames } from "../../src/api/endpoints.ts";
import { answerBytesMax, foreignTextCharsMax } from "../../src/api/limits.ts";
import {
  ApiAuthError,
  ApiContractError,
  ApiRejectedError,
  OutcomeUnknownError,
  SluiceError,
} from "../../src/errors.ts";
import {
  canaryKey,
  clientOf,
  confirmed,
  json,
  never,
  perform,
  rejection,
  startServer,
} from "../src/api/support.ts";
import { isProving, someOf } from "../support/trials.ts";

const confirm = { fileKey: "uploads/1", records: 10, signal: never };
const steering = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/u;

/** The errors of each step with a service that gives this answer to every request. */
async function errorsOf(status: number, body: string | Buffer, headers = {}): Promise<unknown[]> {
  const { url } = await startServer((response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(body);
  });
  const client = clientOf(url);
  const errors = await Promise.all(
    endpointNames.map(async (step) => {
      const asking = perform(step, client, { url });
      return await asking.then(
        () => undefined,
        (error: unknown) => error,
      );
    }),
  );
  // A PUT that the storage took needs no readable answer.
  return errors.filter((error) => error !== undefined);
}

/** Everything in errors that may become visible. */
function shown(errors: readonly unknown[]): string {
  return inspect(errors, { depth: 20, showHidden: true, maxStringLength: null });
}

describe("a message of a hostile service (T17, T18)", () => {
  it.each([
    ["much text", "x".repeat(isProving ? 10_000_000 : 1_000_000)],
    ["HTML", "<script>alert(1)</script>".repeat(100)],
    ["SQL", "'; drop table runs; --"],
    ["NUL", "a\0b"],
    ["CR LF and a line that looks like ours", "no\r\n[12:00:00] INFO: all is well"],
    ["an escape sequence", "\u001b[2J\u001b]0;title\u0007"],
    ["an escape of one character", "\u009b2J"],
    ["marks that turn the direction", "\u202egpj.exe\u2066\u061c\u200f"],
    ["line separators", "a\u2028b\u2029c"],
    ["half a surrogate pair", "\ud800"],
    ["Markdown", "```\n# Heading\n[link](javascript:alert(1))"],
  ])("is cut, and steers nobody's terminal: %s", async (_name, message) => {
    for (const status of [401, 404, 409, 418, 429]) {
      for (const error of await errorsOf(status, JSON.stringify({ message, details: message }))) {
        expect(error).toBeInstanceOf(SluiceError);
        const text = error instanceof SluiceError ? `${error.message}${error.hint ?? ""}` : "";
        expect(text.length).toBeLessThan(foreignTextCharsMax * 12);
        expect(text).not.toMatch(steering);
        expect(text.isWellFormed()).toBe(true);
      }
    }
  });

  it("quotes the key in no form that JSON knows (T11)", async () => {
    const escaped = canaryKey.replaceAll(
      /./g,
      (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`,
    );
    const basic = Buffer.from(`${canaryKey}:`).toString("base64");
    const forms = [canaryKey, escaped, escaped.toUpperCase().replaceAll("\\U", "\\u"), basic];
    for (const form of [...forms, `\\\\${canaryKey}`, `\\/${canaryKey}\\/`]) {
      for (const status of [400, 401, 403, 404, 429, 500]) {
        const errors = await errorsOf(status, `{"message":"the key ${form} is unknown"}`);
        expect(shown(errors)).not.toContain(canaryKey);
        expect(shown(errors)).not.toContain(basic);
      }
    }
    const location = `https://${canaryKey}.example/${canaryKey}`;
    expect(shown(await errorsOf(302, "", { location }))).not.toContain(canaryKey);
  });

  it("leaves a message that only looks escaped as it is", async () => {
    const [error] = await errorsOf(401, String.raw`{"message":"C:\\u0063\/x \"y\" \u0022z"}`);
    expect(error).toBeInstanceOf(ApiAuthError);
    expect(String(error)).toContain(String.raw`C:\u0063/x "y" "z`);
  });
});

describe("an answer of a hostile service (T17, T8)", () => {
  const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
  const manyMembers = isProving ? 60_000 : 6_000;
  const keys = Array.from({ length: manyMembers }, (_, at) => `"k${at}":1`).join();

  it.each([
    ["100,000 levels", `{"message":${deep}}`],
    ["many members", `{${keys}}`],
    ["__proto__", '{"__proto__":{"polluted":true},"message":"x"}'],
    ["a number beyond a double's", '{"message":1e400,"status":1e400}'],
    ["a total of 10^15", '{"meta":{"total":1000000000000000},"status":1}'],
    ["gzip", gzipSync(JSON.stringify(confirmed))],
    ["a gzip bomb", gzipSync(Buffer.alloc(100 * 1024 * 1024))],
    ["more than is read", " ".repeat(answerBytesMax + 1)],
    ["HTML", "<html><body>502</body></html>"],
    ["nothing", ""],
  ])("is a fault of its class whatever it holds: %s", async (_name, body) => {
    for (const status of someOf([200, 400, 422, 500], 2)) {
      const errors = await errorsOf(status, body, { "content-encoding": "gzip" });
      expect(errors.length).toBeGreaterThanOrEqual(4);
      expect(errors.filter((error) => !(error instanceof SluiceError))).toEqual([]);
    }
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
  });

  it("names no record that was not sent, however it is named", async () => {
    const locs = [
      ["file", 10],
      ["file", -1],
      ["file", 1.5],
      ["file", 1e15],
      ["file", "0"],
      ["file", "__proto__"],
      [],
    ];
    for (const loc of locs) {
      const { url } = await startServer((response) =>
        json(response, 422, { detail: [{ loc, msg: "x", type: "x" }] }),
      );
      const error = await rejection(clientOf(url).confirmUpload(confirm));
      expect(error).toBeInstanceOf(ApiRejectedError);
      expect(error).toMatchObject({ refused: [] });
    }
  });

  it.each([0, 1_025, 10_000_000])("gives no file key of %i characters", async (length) => {
    const answer = { upload_url: "http://127.0.0.1:1/", file_key: "k".repeat(length) };
    const { url } = await startServer((response) => json(response, 200, answer));
    const error = await rejection(perform("generateUploadUrl", clientOf(url), { url }));
    expect(error).toBeInstanceOf(SluiceError);
    expect(shown([error]).length).toBeLessThan(10_000);
  });

  it("is an unknown outcome where it cannot be read and records may have been taken", async () => {
    const { url } = await startServer((response) => {
      response
        .writeHead(200, { "content-encoding": "gzip" })
        .end(gzipSync(JSON.stringify(confirmed)));
    });
    expect(await rejection(clientOf(url).confirmUpload(confirm))).toBeInstanceOf(
      OutcomeUnknownError,
    );
  });

  it("redirects nothing to another host, whatever the step (T1)", async () => {
    const other = await startServer((response) => response.end());
    for (const status of [301, 302, 303, 307, 308]) {
      const errors = await errorsOf(status, "", { location: other.url.href });
      expect(errors.map((error) => error instanceof ApiContractError)).toEqual(
        endpointNames.map(() => true),
      );
    }
    expect(other.seen).toEqual([]);
  });
});
