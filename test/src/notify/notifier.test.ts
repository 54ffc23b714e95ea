import dns from "node:dns";
import type { ServerResponse } from "node:http";
import { inspect } from "node:util";

import { describe, expect, it, onTestFinished } from "vitest";

import type { Resolve } from "../../../src/api/http/address.ts";
import type { NotifyConfig } from "../../../src/config/schema/notify.ts";
import { ApiContractError, ApiUnavailableError, ConfigError } from "../../../src/errors.ts";
import { createNotifier } from "../../../src/notify/notifier.ts";
import { Secret } from "../../../src/security/secret.ts";
import { startHttp, startSelfSigned, startServer, startSockets } from "../api/support.ts";

const message = { headers: { "webhook-id": "run_1" }, body: '{"type":"run.done"}' };
const target = "the-receiver";
const never = new AbortController().signal;

/** Simulates another name service: every name leads to this machine. */
const rebound: Resolve = (_host, _options, callback) => {
  callback(null, [{ address: "127.0.0.1", family: 4 }]);
};

/** The settings of a post that differ from the default. */
type How = { readonly signal?: AbortSignal; readonly deadlineMs?: number };

/** Posts the message once. */
async function post(url: URL, { signal = never, ...deadline }: How = {}): Promise<void> {
  const notifier = createNotifier({ allowInsecureHosts: [], proxy: undefined, ...deadline });
  onTestFinished(async () => await notifier.close());
  const secret = new Secret(new URL("/canary-path?canary-token=1", url).href);
  const receiver: NotifyConfig = { target, url: secret, on: "always", format: "slack" };
  await notifier.post(receiver, message, signal);
}

/** The error of posting to a receiver with this answer. */
async function thrownBy(answer: (response: ServerResponse) => void): Promise<unknown> {
  const { url, seen } = await startServer(answer);
  const error = await errorOf(post(url));
  expect(seen).toHaveLength(1);
  return error;
}

async function errorOf(posting: Promise<void>): Promise<unknown> {
  return await posting.then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe("post", () => {
  it.each([200, 202, 204, 299])("takes %i for delivered", async (status) => {
    const { url, seen } = await startServer((response) => response.writeHead(status).end());
    await post(url);
    const [{ method, path, headers, body } = {}] = seen;
    expect([method, path, body]).toEqual(["POST", "/canary-path?canary-token=1", message.body]);
    expect(headers?.["webhook-id"]).toBe("run_1");
  });

  it.each([300, 400, 401, 404, 429, 500, 503])("tries again after %i", async (status) => {
    const error = await thrownBy((response) => response.writeHead(status).end("canary-answer"));
    expect(error).toBeInstanceOf(ApiUnavailableError);
    expect(error).toMatchObject({ message: `POST to ${target}: ${status}` });
  });

  it("waits as long as it is told", async () => {
    const error = await thrownBy((response) =>
      response.writeHead(429, { "retry-after": "7" }).end(),
    );
    expect(error).toMatchObject({ retryAfterMs: 7_000, retryable: true });
  });

  it.each(["3601", "86400", "99999999999999999999"])(
    "waits an hour at most, so that tries are left: Retry-After %s",
    async (hint) => {
      const error = await thrownBy((response) =>
        response.writeHead(503, { "retry-after": hint }).end(),
      );
      expect(error).toMatchObject({ retryAfterMs: 3_600_000, retryable: true });
    },
  );

  it("gives up when the receiver is gone", async () => {
    const error = await thrownBy((response) => response.writeHead(410).end());
    expect(error).toBeInstanceOf(ConfigError);
    expect(error).toMatchObject({ retryable: false, field: "notify" });
  });

  it.each([301, 302, 303, 307, 308])("does not follow a %i (T1)", async (status) => {
    const elsewhere = await startServer((response) => response.end());
    const location = elsewhere.url.href;
    await thrownBy((response) => response.writeHead(status, { location }).end());
    expect(elsewhere.seen).toEqual([]);
  });

  it("gives up on a receiver that takes the request and never answers", async () => {
    const silent = await startSockets(() => undefined);
    const error = await errorOf(post(silent, { deadlineMs: 300 }));
    expect(error).toMatchObject({ message: `POST to ${target}: no answer (within 0.3 s)` });
  });

  it("takes an answer that never ends for what its status says (T17)", async () => {
    const url = await startHttp((_, response) => {
      const drip = setInterval(() => response.write("x"), 10);
      response.once("close", () => clearInterval(drip));
    });
    // Its status comes at once; only a test that is stalled for two seconds misses it.
    await expect(post(url, { deadlineMs: 2_000 })).resolves.toBeUndefined();
  });

  it("takes an answer without bound for what its status says (T17)", async () => {
    const block = Buffer.alloc(1024 * 1024);
    let sent = 0;
    const url = await startHttp((_, response) => {
      const fill = (): void => {
        while (response.write(block) && sent < 1_000) sent += 1;
      };
      response.on("drain", fill).on("error", () => undefined);
      fill();
    });
    await expect(post(url)).resolves.toBeUndefined();
    expect(sent).toBeLessThan(1_000);
  });

  it("tries again when nothing listens, and names neither path nor query (T11)", async () => {
    const { url } = await startServer(() => undefined);
    url.port = "1";
    const error = await errorOf(post(url));
    expect(error).toBeInstanceOf(ApiUnavailableError);
    expect(inspect(error)).toContain(`POST to ${target}: no answer (ECONNREFUSED)`);
    expect(inspect(error)).not.toContain("canary");
  });

  it("posts nothing to a receiver with a certificate that nobody trusts", async () => {
    const { url, seen } = await startSelfSigned();
    expect(await errorOf(post(url))).toBeInstanceOf(ApiUnavailableError);
    expect(seen).toEqual([]);
  });

  it("posts nothing to a name that leads to this machine (T2)", async () => {
    const { url, seen } = await startServer((response) => response.end());
    const { lookup } = dns;
    onTestFinished(() => void Object.assign(dns, { lookup }));
    Object.assign(dns, { lookup: rebound });
    url.hostname = "rebound.example";
    expect(await errorOf(post(url))).toBeInstanceOf(ApiContractError);
    expect(seen).toEqual([]);
  });

  it("ends with its activity", async () => {
    const stopped = new AbortController();
    const url = await startHttp(() => stopped.abort(new Error("cancelled")));
    await expect(post(url, { signal: stopped.signal })).rejects.toThrow("cancelled");
  });
});
