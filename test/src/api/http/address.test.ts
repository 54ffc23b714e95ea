import type { LookupAddress } from "node:dns";
import { isIP } from "node:net";

import { describe, expect, it } from "vitest";

import {
  addressFault,
  checkBaseUrl,
  endpointUrl,
  guardedLookup,
  isExpired,
  isLoopback,
} from "../../../../src/api/http/address.ts";
import type { Resolve } from "../../../../src/api/http/address.ts";
import { ApiContractError, ConfigError } from "../../../../src/errors.ts";

const nothing = { hosts: [], loopback: false };

/** Every spelling in threat T2, and the private networks. */
const privateSpellings = [
  "127.0.0.1",
  "2130706433",
  "0x7f.1",
  "0177.0.0.1",
  "127.1",
  "127.0.0.1.",
  "[::1]",
  "[::ffff:127.0.0.1]",
  "[::ffff:10.0.0.1]",
  "[::127.0.0.1]",
  "[::ffff:0:127.0.0.1]",
  "[64:ff9b::7f00:1]",
  "[64:ff9b:1::7f00:1]",
  "[2002:7f00:1::]",
  "[::]",
  "0.0.0.0",
  "169.254.169.254",
  "168.63.129.16",
  "100.100.100.200",
  "[fd00:ec2::254]",
  "[fe80::1]",
  "10.1.2.3",
  "172.16.0.1",
  "172.31.255.255",
  "192.168.1.1",
  "224.0.0.1",
  "255.255.255.255",
  "localhost",
  "localhost.",
  "LOCALHOST",
];

describe("addressFault", () => {
  it.each(privateSpellings)("refuses https://%s", (host) => {
    expect(addressFault(new URL(`https://${host}/`), nothing)).toMatch(/private address/);
  });

  it.each([
    "https://storage.example",
    "https://172.32.0.1",
    "https://[2606:4700::1111]",
    "https://11.0.0.1:8443",
  ])("takes %s", (address) => {
    expect(addressFault(new URL(address), nothing)).toBeUndefined();
  });

  it.each([
    ["http://storage.example/", "is plain http to storage.example"],
    ["file:///etc/passwd", "is neither https nor http"],
    ["https://user@storage.example/", "has user info"],
    ["https://:secret@storage.example/", "has user info"],
  ])("says of %s that it %s", (address, fault) => {
    expect(addressFault(new URL(address), nothing)).toBe(fault);
  });

  it("takes loopback, and nothing else private, where loopback is allowed", () => {
    const allowance = { hosts: [], loopback: true };
    expect(addressFault(new URL("http://127.0.0.1:8089"), allowance)).toBeUndefined();
    expect(addressFault(new URL("http://localhost:8089"), allowance)).toBeUndefined();
    expect(addressFault(new URL("http://[::1]:8089"), allowance)).toBeUndefined();
    expect(addressFault(new URL("https://10.0.0.1"), allowance)).toMatch(/private/);
    expect(addressFault(new URL("http://sandbox:8089"), allowance)).toMatch(/plain http/);
  });

  it("takes a listed host by plain http, but never its user info", () => {
    const allowance = { hosts: ["Sandbox", "10.0.0.1"], loopback: false };
    expect(addressFault(new URL("http://sandbox:8089"), allowance)).toBeUndefined();
    expect(addressFault(new URL("http://10.0.0.1"), allowance)).toBeUndefined();
    expect(addressFault(new URL("http://10.0.0.2"), allowance)).toMatch(/private/);
    expect(addressFault(new URL("http://key@sandbox:8089"), allowance)).toMatch(/user info/);
  });
});

describe("isLoopback", () => {
  it.each([
    ["127.8.8.8", true],
    ["[::1]", true],
    ["[::ffff:7f00:1]", true],
    ["localhost", true],
    ["10.0.0.1", false],
    ["localhost.example", false],
  ])("judges %s as %j", (host, expected) => {
    expect(isLoopback(host)).toBe(expected);
  });
});

describe("checkBaseUrl", () => {
  it.each(["https://api.example/v2", "http://127.0.0.1:8089", "http://sandbox:8089"])(
    "takes %s",
    (address) => {
      expect(() => checkBaseUrl(new URL(address), "api.base_url", ["sandbox"])).not.toThrow();
    },
  );

  it.each([
    "http://api.example",
    "https://192.168.0.9",
    "https://api.example/?key=secret",
    "https://api.example/#secret",
  ])("refuses %s by the setting's name", (address) => {
    const check = (): void => checkBaseUrl(new URL(address), "api.base_url", []);
    expect(check).toThrow(ConfigError);
    expect(check).toThrow(expect.objectContaining({ field: "api.base_url" }));
    expect(check).not.toThrow(/secret/);
  });
});

describe("endpointUrl", () => {
  it.each([
    ["https://api.example", "https://api.example/v1/ping"],
    ["https://api.example/", "https://api.example/v1/ping"],
    ["https://api.example/data/", "https://api.example/data/v1/ping"],
    ["https://api.example//evil.example", "https://api.example//evil.example/v1/ping"],
  ])("stands below %s", (base, expected) => {
    expect(endpointUrl(new URL(base), "/v1/ping").href).toBe(expected);
  });
});

type Found = { readonly error: Error | null; readonly found: string | LookupAddress[] };

/** Looks `host` up where the resolver answers `addresses`. */
async function lookUp(host: string, addresses: readonly string[], all = true): Promise<Found> {
  const resolve: Resolve = (_host, _options, callback) => {
    callback(
      null,
      addresses.map((address) => ({ address, family: isIP(address) })),
    );
  };
  const lookup = guardedLookup({ hosts: ["sandbox"], loopback: true }, resolve);
  return await new Promise((done) => {
    lookup(host, { all }, (error, found) => done({ error, found }));
  });
}

describe("guardedLookup", () => {
  it("refuses a name that has turned to a private address", async () => {
    const { error } = await lookUp("rebound.example", [
      "169.254.169.254",
      "::ffff:10.0.0.1",
      "::1",
    ]);
    expect(error).toBeInstanceOf(ApiContractError);
    expect(error?.message).toBe("rebound.example resolves to a private address");
  });

  it("keeps the public ones of several addresses", async () => {
    const { error, found } = await lookUp("mixed.example", ["10.0.0.1", "192.0.2.7"]);
    expect(error).toBeNull();
    expect(found).toEqual([{ address: "192.0.2.7", family: 4 }]);
  });

  it("answers a single address when asked for one", async () => {
    const { found } = await lookUp("mixed.example", ["10.0.0.1", "192.0.2.7"], false);
    expect(found).toBe("192.0.2.7");
  });

  it.each(["sandbox", "localhost"])("leaves %s alone", async (host) => {
    const { error, found } = await lookUp(host, ["127.0.0.1"]);
    expect(error).toBeNull();
    expect(found).toEqual([{ address: "127.0.0.1", family: 4 }]);
  });
});

describe("isExpired", () => {
  const date = "Sun, 06 Nov 1994 08:49:37 GMT";
  const at = Date.UTC(1994, 10, 6, 8, 49, 37);
  const expired = (query: string): boolean =>
    isExpired(new URL(`https://storage.example/x?${query}`), date, Date.UTC(2026, 0, 1));

  it.each([
    [-1, true],
    [0, true],
    [1, false],
  ])("judges an expiry %i s after the answer as %j in every spelling", (seconds, expected) => {
    expect(expired(`expires=${at / 1_000 + seconds}`)).toBe(expected);
    expect(expired(`Expires=${at + seconds * 1_000}`)).toBe(expected);
    expect(expired(`X-Amz-Date=19941106T084837Z&X-Amz-Expires=${60 + seconds}`)).toBe(expected);
  });

  it.each(["", "expires=soon", "X-Amz-Date=19941106T084837Z", "X-Amz-Expires=1", "expires=1"])(
    "does not guess from %j",
    (query) => {
      expect(expired(query)).toBe(false);
    },
  );

  it("does not turn to our clock", () => {
    expect(
      isExpired(new URL("https://storage.example/?expires=1000000000"), undefined, Date.now()),
    ).toBe(false);
  });
});
