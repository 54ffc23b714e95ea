import { once } from "node:events";
import { readdir, rename, stat } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { join } from "node:path";

import { describe, expect, it, onTestFinished } from "vitest";

import { uploadBytesMax } from "../../../../src/limits.ts";
import { until } from "../../../support/process/process.ts";
import { account, gzipOf, started, type SandboxClient, textLike } from "../sandbox-client.ts";

const contentHeaders = "content-type: application/jsonl\r\ncontent-encoding: gzip\r\n";

/** Sends the head of a PUT through a raw socket, as no client would. */
async function putByHand(client: SandboxClient, headers: string): Promise<Socket> {
  const { url } = await client.uploadAddress();
  const { hostname, port, pathname, search } = new URL(url);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => {
    socket.destroy();
  });
  socket.setEncoding("utf8");
  await once(socket, "connect");
  socket.write(
    `PUT ${pathname}${search} HTTP/1.1\r\nhost: ${hostname}\r\n${contentHeaders}${headers}\r\n`,
  );
  return socket;
}

async function answerTo(client: SandboxClient, headers: string): Promise<string> {
  return String(await once(await putByHand(client, headers), "data"));
}

/** The ledger's line of the first PUT, once it is there. */
async function putEntry(client: SandboxClient): Promise<unknown> {
  return await until(async () => (await client.ledger()).find(({ step }) => step === "put"));
}

describe("the storage", () => {
  it("refuses a body without a length with 411", async () => {
    const answer = await answerTo(await started(), "");
    expect(answer).toMatch(/^HTTP\/1.1 411 [^]*<Code>MissingContentLength<\/Code>/);
  });

  it("refuses a chunked body with 501", async () => {
    const answer = await answerTo(await started(), "transfer-encoding: chunked\r\n");
    expect(answer).toMatch(/^HTTP\/1.1 501 [^]*<Code>NotImplemented<\/Code>/);
  });

  it("refuses a body of more than 2 GB with 413 before it comes", async () => {
    const client = await started();
    const answer = await answerTo(client, `content-length: ${uploadBytesMax + 1}\r\n`);
    expect(answer).toMatch(/^HTTP\/1.1 413 [^]*<Code>EntityTooLarge<\/Code>/);
  });

  it.each([uploadBytesMax - 1, uploadBytesMax])(
    "begins to take a body of %i bytes",
    async (bytes) => {
      const client = await started();
      const socket = await putByHand(client, `content-length: ${bytes}\r\n`);
      socket.write(gzipOf([account(1)]));
      await client.get("/v1/ping");
      expect(socket.bytesRead).toBe(0);
      socket.destroy();
      const entry = await putEntry(client);
      expect(entry).toMatchObject({ step: "put", status: null });
    },
  );

  it("takes a file key whose slashes are written as %2F, as a path's parameter is", async () => {
    const client = await started();
    const { url, fileKey } = await client.uploadAddress();
    const escaped = url.replace(fileKey, encodeURIComponent(fileKey));
    expect((await client.put(escaped, gzipOf([account(1)]))).status).toBe(200);
    expect((await client.confirm(fileKey)).status).toBe(200);
  });

  it("keeps nothing of a PUT that is cut off", async () => {
    const client = await started();
    const { url, fileKey } = await client.uploadAddress();
    const file = gzipOf([account(1)]);
    const { hostname, port, pathname, search } = new URL(url);
    const socket = connect(Number(port), hostname);
    socket.write(
      `PUT ${pathname}${search} HTTP/1.1\r\nhost: ` +
        `${hostname}\r\n${contentHeaders}content-length: ${file.length}\r\n\r\n`,
    );
    socket.resume();
    socket.write(file.subarray(0, -1));
    const uploads = join(client.dataFolder, "uploads");
    await until(async () => {
      const [part] = await readdir(uploads);
      return part !== undefined && (await stat(join(uploads, part))).size === file.length - 1;
    });
    socket.end();
    await once(socket, "close");
    const entry = await putEntry(client);
    expect(entry).toMatchObject({
      step: "put",
      status: null,
      file_key: fileKey,
      bytes: file.length - 1,
    });
    expect((await client.confirm(fileKey)).status).toBe(404);
  });

  it("cuts a PUT off when it closes, and writes its line", async () => {
    const client = await started();
    const socket = await putByHand(client, "content-length: 1000\r\n");
    const uploads = join(client.dataFolder, "uploads");
    await until(async () => (await readdir(uploads)).length === 1);
    await Promise.all([once(socket, "close"), client.close()]);
    expect(await readdir(uploads)).toEqual([]);
    const again = await started({ dataFolder: client.dataFolder });
    expect((await again.ledger()).at(-1)).toMatchObject({ step: "put", status: null });
  });

  it("answers 500 in its own envelope when the disk fails", async () => {
    const client = await started();
    const { url } = await client.uploadAddress();
    const uploads = join(client.dataFolder, "uploads");
    await rename(uploads, `${uploads}-gone`);
    const put = await client.put(url, gzipOf([account(1)]));
    expect(put).toMatchObject({
      status: 500,
      body: textLike(expect.stringContaining("<Code>InternalError")),
    });
    expect(await client.uploadJson([account(1)])).toMatchObject({
      status: 500,
      body: { message: "The sandbox failed" },
    });
    await rename(`${uploads}-gone`, uploads);
    expect((await client.put(url, gzipOf([account(1)]))).status).toBe(200);
  });
});
