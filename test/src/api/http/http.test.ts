import type { ServerResponse } from "node:http";
import { inspect } from "node:util";

import { describe, expect, it } from "vitest";

import { endpointNames } from "../../../../src/api/endpoints.ts";
import type { Permit, Scope } from "../../../../src/api/rate-limiter.ts";
import {
  ApiContractError,
  CreditsExhaustedError,
  OutcomeUnknownError,
  RateLimitedError,
} from "../../../../src/errors.ts";
import { retryAfterMsMax } from "../../../../src/limits.ts";
import {
  canaryKey,
  clientOf,
  confirmed,
  foundAccount,
  json,
  never,
  notingLimiter,
  throttledWaitMs,
  pageOf,
  perform,
  rejection,
  startHttp,
  startServer,
  uploaded,
} from "../support.ts";

const ingestion = { kind: "api", family: "ingestion" };
const confirm = { fileKey: "uploads/1", records: 10, signal: never };
describe("redirects (T1)", () => {
  it.each(
    endpointNames.flatMap((step) =>
      [301, 302, 303, 307, 308].map((status) => [step, status] as const),
    ),
  )("does not follow one: %s, %i", async (step, status) => {
    const other = await startServer((response) => response.end());
    const { url, seen } = await startServer((response) => {
      response.writeHead(status, { location: new URL("/secret?secret", other.url).href }).end();
    });
    const error = await rejection(perform(step, clientOf(url), { url }));
    expect(error).toBeInstanceOf(ApiContractError);
    expect(String(error)).toContain(`${status} redirects to ${other.url.host}`);
    expect(String(error)).not.toContain("secret");
    expect(seen).toHaveLength(1);
    expect(other.seen).toHaveLength(0);
  });
});

describe("what the rate limiter is told", () => {
  const date = "Sun, 06 Nov 1994 08:49:37 GMT";

  it.each([
    ["seconds", ["retry-after", "120"], 120_000],
    ["a fixed date", ["retry-after", "Sun, 06 Nov 1994 08:51:37 GMT", "date", date], 120_000],
    ["an old date", ["retry-after", "Sunday, 06-Nov-94 08:51:37 GMT", "date", date], 120_000],
    ["a C date", ["retry-after", "Sun Nov  6 08:51:37 1994", "date", date], 120_000],
    ["nothing", [], undefined],
    ["garbage", ["retry-after", "abc"], undefined],
    ["two values", ["retry-after", "120", "retry-after", "120"], undefined],
    ["zero", ["retry-after", "0"], 1_000],
    ["a day", ["retry-after", "86400"], retryAfterMsMax],
  ])("hears of a 429 with %s", async (_, headers, hintMs) => {
    const { url } = await startServer((response) => response.writeHead(429, headers).end());
    const rateLimiter = notingLimiter();
    const error = await rejection(clientOf(url, { rateLimiter }).confirmUpload(confirm));
    expect(error).toBeInstanceOf(RateLimitedError);
    expect(error).toMatchObject({ retryAfterMs: throttledWaitMs });
    expect(rateLimiter.notes).toEqual([
      ["acquire", ingestion],
      ["throttled", ingestion, hintMs],
      ["undecided", ingestion],
    ]);
  });

  it.each([
    [429, "86401", false],
    [429, "1000000000000", false],
    [503, "86401", true],
  ])(
    "hears of a day when a %i asks for %s seconds, and the run stops",
    async (status, seconds, mayHaveSucceeded) => {
      const { url } = await startServer((response) =>
        response.writeHead(status, { "retry-after": seconds }).end(),
      );
      const rateLimiter = notingLimiter();
      const error = await rejection(clientOf(url, { rateLimiter }).confirmUpload(confirm));
      expect(error).toBeInstanceOf(ApiContractError);
      expect(error).toMatchObject({ mayHaveSucceeded });
      expect(String(error)).toContain("asks to wait longer than 24 h");
      expect(rateLimiter.notes).toContainEqual(["throttled", ingestion, retryAfterMsMax]);
    },
  );

  it("hears of credits that are used up, even beside a hint", async () => {
    const { url } = await startServer((response) => {
      response.setHeader("retry-after", "1");
      json(response, 429, { message: "credits exhausted" });
    });
    const rateLimiter = notingLimiter();
    const error = await rejection(clientOf(url, { rateLimiter }).confirmUpload(confirm));
    expect(error).toBeInstanceOf(CreditsExhaustedError);
    expect(rateLimiter.notes.slice(1)).toEqual([
      ["creditsExhausted", ingestion],
      ["undecided", ingestion],
    ]);
  });

  it("hears of the storage host alone when that is busy", async () => {
    const { url } = await startServer((response) =>
      response.writeHead(503).end("<Code>SlowDown</Code>"),
    );
    const rateLimiter = notingLimiter();
    const error = await rejection(perform("putFile", clientOf(url, { rateLimiter }), { url }));
    expect(error).toBeInstanceOf(RateLimitedError);
    const storage = { kind: "storage", host: url.host };
    expect(rateLimiter.notes.slice(1)).toEqual([
      ["throttled", storage, undefined],
      ["failed", storage],
    ]);
  });

  it("hears of a gateway's 503, after which records may have been taken all the same", async () => {
    const { url } = await startServer((response) =>
      response.writeHead(503, { "retry-after": "9" }).end(),
    );
    const rateLimiter = notingLimiter();
    const error = await rejection(perform("uploadJson", clientOf(url, { rateLimiter }), { url }));
    expect(error).toBeInstanceOf(OutcomeUnknownError);
    expect(rateLimiter.notes.slice(1)).toEqual([
      ["throttled", ingestion, 9_000],
      ["failed", ingestion],
    ]);
  });

  it.each([
    [500, "failed"],
    [501, "undecided"],
    [502, "failed"],
    [504, "failed"],
    [408, "undecided"],
    [404, "undecided"],
    [422, "undecided"],
  ])("hears from a %i that the request %s", async (status, health) => {
    const { url } = await startServer((response) => response.writeHead(status).end());
    const rateLimiter = notingLimiter();
    await rejection(clientOf(url, { rateLimiter }).confirmUpload(confirm));
    expect(rateLimiter.notes).toEqual([
      ["acquire", ingestion],
      [health, ingestion],
    ]);
  });

  it.each([
    ["a reset", (response: ServerResponse) => response.destroy()],
    [
      "an answer that breaks off",
      (response: ServerResponse) =>
        response.writeHead(200, { "content-length": 9 }).write("{", () => response.destroy()),
    ],
    ["silence", () => undefined],
  ])("hears from %s that the service is unwell", async (_, answer) => {
    const { url } = await startServer(answer);
    const rateLimiter = notingLimiter();
    const timeouts = { headersMs: 100 };
    await rejection(clientOf(url, { rateLimiter, timeouts }).confirmUpload(confirm));
    expect(rateLimiter.notes.at(-1)).toEqual(["failed", ingestion]);
  });

  it("hears of a refused connection", async () => {
    const rateLimiter = notingLimiter();
    // Port 9 of 127.0.0.1 is discard, which nobody serves.
    const client = clientOf(new URL("http://127.0.0.1:9"), { rateLimiter });
    await rejection(client.confirmUpload(confirm));
    expect(rateLimiter.notes.at(-1)).toEqual(["failed", ingestion]);
  });

  it("does not hide that they may when it fails itself", async () => {
    const { url } = await startServer((response) =>
      response.writeHead(503, { "retry-after": "9" }).end(),
    );
    const cause = new Error("the store is gone");
    const rateLimiter = notingLimiter({ throttled: async () => await Promise.reject(cause) });
    const error = await rejection(perform("uploadJson", clientOf(url, { rateLimiter }), { url }));
    expect(error).toBeInstanceOf(OutcomeUnknownError);
    expect(error).toMatchObject({ cause });
  });
});

describe("cancelling", () => {
  const reason = new Error("cancelled by a person");

  it.each(endpointNames)("does not send a %s once its signal aborted", async (step) => {
    const { url, seen } = await startServer((response) => response.end());
    const abort = new AbortController();
    const acquire = async (scope: Scope): Promise<Permit> => {
      abort.abort(reason);
      return { scope, isProbe: false };
    };
    const client = clientOf(url, { rateLimiter: notingLimiter({ acquire }) });
    expect(await rejection(perform(step, client, { url, signal: abort.signal }))).toBe(reason);
    expect(seen).toEqual([]);
  });

  it.each(["ping", "generateUploadUrl"] as const)("stops a %s at once", async (step) => {
    const abort = new AbortController();
    const { url } = await startServer(() => abort.abort(reason));
    const rateLimiter = notingLimiter();
    const client = clientOf(url, { rateLimiter, timeouts: { cancelGraceMs: 60_000 } });
    expect(await rejection(perform(step, client, { url, signal: abort.signal }))).toBe(reason);
    expect(rateLimiter.notes.at(-1)?.[0]).toBe("undecided");
  });

  it.each([
    ["confirmUpload", confirmed, {}],
    ["uploadJson", uploaded, { fileKey: uploaded.file_key }],
    ["search", pageOf([foundAccount]), { items: [foundAccount], bad: [], meta: {} }],
  ] as const)("lets a %s on the wire finish", async (step, body, result) => {
    const abort = new AbortController();
    const { url } = await startServer((response) => {
      abort.abort(reason);
      setTimeout(() => json(response, 200, body), 100);
    });
    const client = clientOf(url, { timeouts: { cancelGraceMs: 60_000 } });
    expect(await perform(step, client, { url, signal: abort.signal })).toEqual(result);
  });

  it.each(["confirmUpload", "uploadJson", "search"] as const)(
    "gives up a %s that does not finish in time",
    async (step) => {
      const abort = new AbortController();
      const { url } = await startServer(() => abort.abort(reason));
      const client = clientOf(url, { timeouts: { cancelGraceMs: 50 } });
      expect(await rejection(perform(step, client, { url, signal: abort.signal }))).toBe(reason);
    },
  );
});

describe("close", () => {
  it("waits for the request under way", async () => {
    const arrived = Promise.withResolvers<() => void>();
    const url = await startHttp((_, response) =>
      arrived.resolve(() => json(response, 200, confirmed)),
    );
    const client = clientOf(url);
    const result = client.confirmUpload(confirm);
    const answer = await arrived.promise;
    const closed = client.close();
    answer();
    await expect(Promise.all([result, closed])).resolves.toBeDefined();
  });

  it("leaves the key out of everything that went wrong before", async () => {
    const { url } = await startServer((response) =>
      json(response, 403, { message: `bad ${canaryKey}` }),
    );
    const errors = await Promise.all(
      endpointNames.map(async (step) => await rejection(perform(step, clientOf(url), { url }))),
    );
    expect(errors).toHaveLength(endpointNames.length);
    expect(inspect(errors, { depth: 20, showHidden: true })).not.toMatch(/canary/);
  });
});
