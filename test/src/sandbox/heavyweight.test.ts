import { createHash } from "node:crypto";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

import { describe, expect, it } from "vitest";

import {
  addressSchema,
  account,
  gzipOf,
  started,
  type SandboxClient,
  someText,
  textLike,
} from "./sandbox-client.ts";

const message = { message: someText };
const asked = { stream: "account", content_type: "application/jsonl", content_encoding: "gzip" };

/** A file with one version of the same account. */
function versionOf(domain: string): Buffer {
  return gzipOf([{ ...account(1), domain }]);
}

function sha256(bytes: string | Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

async function filesOf(client: SandboxClient): Promise<string[]> {
  return await readdir(join(client.dataFolder, "uploads"));
}

describe("generate-upload-url", () => {
  it("gives a new file key and a signed address at the sandbox itself", async () => {
    const client = await started();
    const first = await client.uploadAddress();
    const second = await client.uploadAddress();
    expect(first.fileKey).not.toBe(second.fileKey);
    expect(first.url).toMatch(
      new RegExp(
        `^${client.sandbox.address}/_storage/${first.fileKey}\\?expires=\\d+&signature=[0-9a-f]{64}$`,
      ),
    );
  });

  it("begins the address as the settings say", async () => {
    const client = await started({ publicAddress: "http://sandbox:8089/" });
    expect((await client.uploadAddress()).url).toMatch(/^http:\/\/sandbox:8089\/_storage\//);
  });

  it.each(["stream", "content_type", "content_encoding"])(
    "requires %s, of an accepted value",
    async (field) => {
      const client = await started();
      const { [field]: _, ...rest } = asked as Record<string, string>;
      for (const body of [rest, { ...asked, [field]: "other" }]) {
        const answer = await client.post("/ingestion/generate-upload-url", body);
        expect(answer).toMatchObject({ status: 422, body: { detail: [{ loc: ["body", field] }] } });
      }
    },
  );

  it("answers 401 without a key", async () => {
    const client = await started();
    const answer = await client.post("/ingestion/generate-upload-url", asked, { "x-api-key": "" });
    expect(answer).toMatchObject({ status: 401, body: message });
  });
});

describe("confirm-upload", () => {
  it("makes the records of the file visible", async () => {
    const client = await started();
    const fileKey = await client.upload(gzipOf([account(1), account(2)]));
    expect(await client.records()).toEqual([]);
    expect(await client.confirm(fileKey)).toMatchObject({
      status: 200,
      body: { status: "success", message: textLike(expect.stringMatching(/confirmed.*started/)) },
    });
    expect(await client.records()).toEqual([
      { stream: "account", record: account(1), file_key: fileKey },
      { stream: "account", record: account(2), file_key: fileKey },
    ]);
  });

  it("answers a repeated confirm the same and applies nothing again", async () => {
    const client = await started();
    const fileKey = await client.upload(gzipOf([account(1)]));
    const answers = await Promise.all([1, 2, 3].map(() => client.confirm(fileKey)));
    await client.uploadJson([{ ...account(1), domain: "newer.example" }]);
    answers.push(await client.confirm(fileKey));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const confirms = (await client.ledger()).filter(({ step }) => step === "confirm-upload");
    expect(confirms.map(({ applied }) => applied)).toEqual([true, false, false, false]);
    expect(await client.records()).toMatchObject([{ record: { domain: "newer.example" } }]);
  });

  it("lets the last confirm win, not the last PUT", async () => {
    const client = await started();
    const [first, second] = [
      await client.upload(versionOf("put-1st")),
      await client.upload(versionOf("put-2nd")),
    ];
    await client.confirm(second);
    await client.confirm(first);
    expect(await client.records()).toMatchObject([
      { record: { domain: "put-1st" }, file_key: first },
    ]);
  });

  it("lets the last version within a file win", async () => {
    const client = await started();
    const versions = [account(1), account(2), { ...account(1), domain: "last.example" }];
    await client.confirm(await client.upload(gzipOf(versions)));
    expect((await client.records()).map(({ record }) => record)).toEqual([
      versions[2],
      versions[1],
    ]);
  });

  it("answers 404 to a key it did not give, a key without a PUT, and another client's key", async () => {
    const client = await started();
    const { fileKey: withoutPut } = await client.uploadAddress();
    const uploaded = await client.upload(gzipOf([account(1)]));
    const paths = [
      "../../x",
      "/etc/passwd",
      `${uploaded}/../../b`,
      "%2e%2e/",
      "a\0b",
      "k".repeat(10_000),
      "__proto__",
    ];
    for (const fileKey of [...paths, withoutPut]) {
      expect(await client.confirm(fileKey)).toMatchObject({ status: 404, body: message });
    }
    expect(await client.confirm(uploaded, "another-key")).toMatchObject({
      status: 404,
      body: message,
    });
    expect((await client.confirm(uploaded)).status).toBe(200);
  });

  it("names the refused lines and applies nothing", async () => {
    const client = await started();
    const text = [
      JSON.stringify(account(1)),
      '{"account_id":"A"',
      JSON.stringify({ ...account(3), domain: 1 }),
      "",
    ];
    const fileKey = await client.upload(gzipSync(text.join("\n")));
    const refused = {
      status: 422,
      body: { detail: [{ loc: ["file", 1] }, { loc: ["file", 2, "domain"] }] },
    };
    expect(await client.confirm(fileKey)).toMatchObject(refused);
    expect(await client.confirm(fileKey)).toMatchObject(refused);
    expect(await client.records()).toEqual([]);
    expect(await filesOf(client)).toEqual([]);
  });

  it("answers 200 and drops a refused file when rejects are silent", async () => {
    const client = await started({ rejects: "silent" });
    const fileKey = await client.upload(gzipOf([account(1), {}]));
    expect((await client.confirm(fileKey)).status).toBe(200);
    expect((await client.confirm(fileKey)).status).toBe(200);
    expect(await client.records()).toEqual([]);
    expect((await client.ledger()).some(({ applied }) => applied)).toBe(false);
  });

  it("answers under the names of the service's overview too", async () => {
    const client = await started();
    const { body } = await client.post("/ingestion/request-upload-url", asked);
    const { upload_url: url, file_key: fileKey } = addressSchema.parse(body);
    await client.put(url, gzipOf([account(1)]));
    const answer = await client.post("/ingestion/notify-upload-complete", { file_key: fileKey });
    expect(answer.status).toBe(200);
    expect((await client.ledger()).map(({ step }) => step)).toEqual([
      "generate-upload-url",
      "put",
      "confirm-upload",
    ]);
  });

  it("answers 422 without a file key", async () => {
    const client = await started();
    const answer = await client.post("/ingestion/confirm-upload", {});
    expect(answer).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ["body", "file_key"] }] },
    });
  });
});

describe("a put", () => {
  it("writes the hashes of what came into the ledger", async () => {
    const client = await started();
    const file = gzipOf([account(1), account(2)]);
    const fileKey = await client.upload(file);
    await client.confirm(fileKey);
    const facts = {
      file_key: fileKey,
      gzip_sha256: sha256(file),
      jsonl_sha256: sha256(`${JSON.stringify(account(1))}\n${JSON.stringify(account(2))}\n`),
      records: 2,
      status: 200,
    };
    expect((await client.ledger()).slice(1)).toMatchObject([
      { step: "put", ...facts, bytes: file.length, applied: false },
      { step: "confirm-upload", ...facts, applied: true },
    ]);
  });

  it("lets a second PUT replace the first, and keeps one file", async () => {
    const client = await started();
    const { url, fileKey } = await client.uploadAddress();
    await client.put(url, gzipOf([{}]));
    await client.put(url, gzipOf([account(1)]));
    await client.put(url, gzipOf([account(2)]));
    await client.confirm(fileKey);
    expect((await client.records()).map(({ record }) => record)).toEqual([account(2)]);
    expect(await filesOf(client)).toHaveLength(1);
  });

  it("changes nothing after the confirm", async () => {
    const client = await started();
    const { url, fileKey } = await client.uploadAddress();
    await client.put(url, gzipOf([account(1)]));
    await client.confirm(fileKey);
    expect((await client.put(url, gzipOf([account(2)]))).status).toBe(200);
    await client.confirm(fileKey);
    expect((await client.records()).map(({ record }) => record)).toEqual([account(1)]);
    expect(await filesOf(client)).toHaveLength(1);
  });

  it("refuses an address that was changed in any part", async () => {
    const client = await started();
    const { url, fileKey } = await client.uploadAddress();
    const other = await client.uploadAddress();
    const longer = url.replace(
      /expires=(\d+)/,
      (_match, seconds) => `expires=${Number(seconds) + 1}`,
    );
    const changed = [
      longer,
      url.replace(fileKey, other.fileKey),
      url.replace(/signature=.*/, "signature=00"),
      url.replace(/&signature=.*/, ""),
      url.replace("expires=", "expires=x"),
    ];
    for (const address of changed) {
      const answer = await client.put(address, gzipOf([account(1)]));
      expect(answer.status).toBe(403);
      expect(answer.headers["content-type"]).toBe("application/xml");
      expect(answer.body).toMatch(
        /^<\?xml .*\n<Error><Code>SignatureDoesNotMatch<\/Code><Message>/,
      );
    }
    expect(await filesOf(client)).toEqual([]);
  });

  it("refuses an expired address", async () => {
    const client = await started({ uploadUrlTtlMs: 0 });
    const { url, fileKey } = await client.uploadAddress();
    const answer = await client.put(url, gzipOf([account(1)]));
    expect(answer).toMatchObject({
      status: 403,
      body: textLike(
        expect.stringContaining("<Code>AccessDenied</Code><Message>Request has expired"),
      ),
    });
    expect((await client.confirm(fileKey)).status).toBe(404);
  });

  it.each([{ "content-type": "application/json" }, { "content-encoding": "identity" }])(
    "refuses the headers %o",
    async (headers) => {
      const client = await started();
      const { url } = await client.uploadAddress();
      expect((await client.put(url, gzipOf([account(1)]), headers)).status).toBe(403);
    },
  );

  it("keeps files for their owner alone (T12)", async () => {
    const client = await started();
    await client.confirm(await client.upload(gzipOf([account(1)])));
    await client.records();
    const names = await readdir(client.dataFolder, { recursive: true });
    const modes = await Promise.all(
      [".", ...names].map(async (name) => {
        const facts = await stat(join(client.dataFolder, name));
        return [name, facts.mode & 0o777, facts.isDirectory() ? 0o700 : 0o600];
      }),
    );
    expect(modes.length).toBeGreaterThan(6);
    expect(modes.filter(([, mode, expected]) => mode !== expected)).toEqual([]);
  });
});
