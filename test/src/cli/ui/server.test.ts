import { connect } from "node:net";
import { text as textOf } from "node:stream/consumers";

import { describe, expect, it } from "vitest";

import { KeptPages } from "../../../../src/cli/ui/kept-pages.ts";
import { accountsYaml, Harness, harnessKey } from "../../../support/project/harness.ts";
import { openUi } from "../../../support/ui/open-ui.ts";

const token = "a-token-that-is-long-enough";

async function opened(): Promise<Harness> {
  return await Harness.open({ yaml: accountsYaml() });
}

/** A browser's headers for a request from another site. */
function bySite(mode: string): Record<string, string> {
  return { "sec-fetch-site": "cross-site", "sec-fetch-mode": mode };
}

function basic(credentials: string): string {
  return `Basic ${Buffer.from(credentials).toString("base64")}`;
}

describe("who may look", () => {
  it("is whoever asks by an address or as localhost, and no page with a name of its own", async () => {
    const { get, address } = await openUi(await opened());
    const { port } = address;
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `LOCALHOST`, `[::1]:${port}`]) {
      expect(await get("/", { host })).toMatchObject({ status: 200 });
    }
    for (const host of [
      `rebound.example:${port}`,
      "localhost.rebound.example",
      "127.0.0.1.rebound.example",
      `10.0.0.7:${port}`,
      "127.0.0.1@rebound.example",
      "127.0.0.1:80:80",
    ]) {
      const answer = await get("/", { host });
      expect([host, answer.status]).toEqual([host, 421]);
      expect(answer.text).not.toContain("accounts");
    }
  });

  it("is nobody without a Host header", async () => {
    const { address } = await openUi(await opened());
    const socket = connect(Number(address.port), "127.0.0.1");
    socket.end("GET / HTTP/1.0\r\n\r\n");
    expect(await textOf(socket)).toMatch(/^HTTP\/1\.\d 421 /);
  });

  it("is no other site, unless a link of it leads here", async () => {
    const { get } = await openUi(await opened());
    expect(await get("/", bySite("no-cors"))).toMatchObject({ status: 403 });
    expect(await get("/", bySite("navigate"))).toMatchObject({ status: 200 });
  });

  it("is who has the token, from every address, once others could reach it", async () => {
    const harness = await opened();
    await expect(openUi(harness, { host: "0.0.0.0" })).rejects.toThrow("shows rejects and runs");
    await expect(openUi(harness, { host: "0.0.0.0", token: "short" })).rejects.toThrow(
      "16 characters",
    );
    const { get } = await openUi(harness, { host: "0.0.0.0", token });
    for (const path of ["/", "/style.css", "/nothing"]) {
      const answer = await get(path);
      expect(answer).toMatchObject({ status: 401 });
      expect(answer.headers["www-authenticate"]).toContain("Basic");
    }
    for (const authorization of [
      `Bearer ${token}x`,
      basic(`:${token.slice(1)}`),
      "Bearer ",
      token,
    ]) {
      expect(await get("/", { authorization })).toMatchObject({ status: 401 });
    }
    for (const authorization of [`Bearer ${token}`, basic(`anybody:${token}`)]) {
      expect(await get("/", { authorization })).toMatchObject({ status: 200 });
    }
    expect(
      await get("/", { authorization: `Bearer ${token}`, host: "rebound.example" }),
    ).toMatchObject({
      status: 421,
    });
  });
});

describe("the pages", () => {
  it("run nothing but our own script, and go into no frame", async () => {
    const { get } = await openUi(await opened());
    const { headers, text: page } = await get("/");
    expect(headers["content-security-policy"]).toMatch(/default-src 'none'.*script-src 'self'/);
    expect(headers["content-security-policy"]).toContain("frame-ancestors 'none'");
    expect(headers["content-security-policy"]).not.toContain("unsafe");
    expect(headers).toMatchObject({
      "referrer-policy": "no-referrer",
      "cache-control": "no-store",
    });
    expect(headers["set-cookie"]).toBeUndefined();
    expect(page).not.toMatch(/<script(?! src="\/live\.js")|style=|\son\w+=/);
    expect(await get("/style.css")).toMatchObject({ status: 200 });
    expect(await get("/live.js")).toMatchObject({ status: 200 });
  });

  it("read no file, and change nothing", async () => {
    const { get, address } = await openUi(await opened());
    for (const path of [
      "/../sluice.yaml",
      "/..%2fsluice.yaml",
      "/%2e%2e/%2e%2e/etc/passwd",
      "/style.css/../../sluice.yaml",
      "//etc/passwd",
      "/runs/..%2f..%2fsluice.yaml",
      "/%ff",
    ]) {
      const { status, text: page } = await get(path);
      expect([400, 404]).toContain(status);
      expect(page).not.toContain("base_url");
    }
    const answer = await fetch(address, { method: "POST", body: "x" });
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  });

  it("tell no secret", async () => {
    const { get } = await openUi(await opened());
    const { text: page } = await get("/");
    expect(page).toContain("accounts");
    expect(page).not.toContain(harnessKey);
  });
});

describe("a thousand who ask at once", () => {
  it("have the page looked up once", async () => {
    let looks = 0;
    const kept = new KeptPages<number>();
    const look = async (): Promise<number> => {
      await Promise.resolve();
      return (looks += 1);
    };
    const pages = Array.from({ length: 1_000 }, async () => await kept.get("/", look));
    expect(new Set(await Promise.all(pages))).toEqual(new Set([1]));
  });

  it("are looked up two at a time where they ask for different pages, and are told to wait beyond some", async () => {
    const kept = new KeptPages<undefined>();
    let [now, most] = [0, 0];
    const look = async (): Promise<undefined> => {
      most = Math.max(most, (now += 1));
      await new Promise(setImmediate);
      now -= 1;
    };
    const asked = Array.from({ length: 1_000 }, (_, at) => kept.get(String(at), look));
    const taken = asked.filter((page) => page !== undefined);
    expect(taken.length).toBe(66);
    await Promise.all(taken);
    expect(most).toBe(2);
  });

  it("see no page that is older than a second, and no failure twice", async () => {
    let [nowMs, looks] = [0, 0];
    const kept = new KeptPages<number>(() => nowMs);
    const look = async (): Promise<number> => (looks += 1);
    expect(await kept.get("/", look)).toBe(1);
    nowMs = 999;
    expect(await kept.get("/", look)).toBe(1);
    nowMs = 1_000;
    expect(await kept.get("/", look)).toBe(2);
    await expect(kept.get("x", async () => await Promise.reject(new Error("no")))).rejects.toThrow(
      "no",
    );
    expect(await kept.get("x", look)).toBe(3);
  });
});
