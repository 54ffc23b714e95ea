import { once } from "node:events";
import { createServer } from "node:net";

import { describe, expect, it } from "vitest";

import { areFree, freePorts } from "../../../src/local/ports.ts";

describe("freePorts", () => {
  it("gives as many different ports as asked for, all free", async () => {
    const ports = await freePorts("127.0.0.1", 5);
    expect(new Set(ports).size).toBe(5);
    expect(ports).not.toContain(0);
    expect(await areFree("127.0.0.1", ports)).toBe(true);
  });
});

describe("areFree", () => {
  it("is false when one of the ports is taken", async () => {
    const [taken = 0, free = 0] = await freePorts("127.0.0.1", 2);
    const server = createServer().listen(taken, "127.0.0.1");
    await once(server, "listening");
    expect(await areFree("127.0.0.1", [free, taken])).toBe(false);
    expect(await areFree("127.0.0.1", [free])).toBe(true);
    server.close();
  });

  it("throws when the address is not of this machine", async () => {
    // 192.0.2.0/24 is reserved for documentation.
    await expect(areFree("192.0.2.1", [0])).rejects.toThrow("EADDRNOTAVAIL");
  });
});
