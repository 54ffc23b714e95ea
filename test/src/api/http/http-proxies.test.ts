import { once } from "node:events";
import { createServer } from "node:http";
import { connect } from "node:net";

import { describe, expect, it, onTestFinished } from "vitest";

import { ApiUnavailableError, ConfigError } from "../../../../src/errors.ts";
import { clientOf, confirmed, json, never, portOf, rejection, startServer } from "../support.ts";

const confirm = { fileKey: "uploads/1", records: 10, signal: never };

/** A proxy that opens every tunnel to `target`, whatever the requested address. */
async function startProxy(target: URL, allow = true): Promise<{ url: URL; asked: string[] }> {
  const asked: string[] = [];
  const proxy = createServer();
  proxy.on("connect", (request, socket) => {
    asked.push(request.url ?? "");
    if (!allow) return socket.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
    const onward = connect(Number(target.port), target.hostname, () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      onward.pipe(socket).pipe(onward);
    });
    onward.on("error", () => socket.destroy());
    return socket.on("error", () => onward.destroy());
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  onTestFinished(() => void proxy.close());
  return { url: new URL(`http://127.0.0.1:${portOf(proxy)}`), asked };
}

describe("proxies", () => {
  const baseUrl = new URL("http://service.example:8080");
  const allowInsecureHosts = ["service.example"];

  it("goes through the proxy it is given", async () => {
    const { url: target, seen } = await startServer((response) => json(response, 200, confirmed));
    const proxy = await startProxy(target);
    const client = clientOf(baseUrl, { allowInsecureHosts, proxy: { httpProxy: proxy.url.href } });
    await client.confirmUpload(confirm);
    expect(proxy.asked).toEqual(["service.example:8080"]);
    expect(seen).toHaveLength(1);
    await client.close();
  });

  it("knows that nothing left when the proxy refuses", async () => {
    const proxy = await startProxy(baseUrl, false);
    const client = clientOf(baseUrl, { allowInsecureHosts, proxy: { httpProxy: proxy.url.href } });
    expect(await rejection(client.confirmUpload(confirm))).toBeInstanceOf(ApiUnavailableError);
  });

  it.each([
    ["loopback", undefined],
    ["what NO_PROXY names", "127.0.0.1"],
    ["everything", "*"],
  ])("reaches %s directly", async (_, noProxy) => {
    const { url, seen } = await startServer((response) => json(response, 200, confirmed));
    const proxy = await startProxy(url);
    await clientOf(url, { proxy: { httpProxy: proxy.url.href, noProxy } }).confirmUpload(confirm);
    expect(proxy.asked).toEqual([]);
    expect(seen).toHaveLength(1);
  });

  it("refuses an address that is none without repeating it", async () => {
    const { url } = await startServer((response) => response.end());
    const make = (): unknown => clientOf(url, { proxy: { httpsProxy: "user:secret@" } });
    expect(make).toThrow(ConfigError);
    expect(make).not.toThrow(/secret/);
  });
});
