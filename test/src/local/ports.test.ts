import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { ConfigError } from "../../../src/errors.ts";
import { areFree, freePorts, startOnPorts } from "../../../src/local/ports.ts";
import { acquireService } from "../../../src/local/shared-service.ts";
import { temporaryFolder } from "../../support/process/temporary-folder.ts";

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

describe("a shared server", () => {
  it("names SLUICE_HOST, not the state folder, where it cannot listen", async () => {
    const folder = await temporaryFolder();
    const server = { ip: "192.0.2.1", preferred: [7233], logFile: join(folder, "log") };
    const acquired = acquireService({
      folder,
      name: "sandbox",
      isAlive: async () => await Promise.resolve(false),
      start: async () =>
        await startOnPorts({
          ...server,
          start: async () => await Promise.reject(new Error("it was started")),
        }),
    });
    await expect(acquired).rejects.toThrow(ConfigError);
    await expect(acquired).rejects.toThrow(
      /^servers cannot listen at 192\.0\.2\.1: .*EADDRNOTAVAIL/,
    );
    await expect(acquired).rejects.toMatchObject({ field: "SLUICE_HOST" });
  });

  it("names SLUICE_HOST where no port can be drawn", async () => {
    await expect(freePorts("192.0.2.1", 1)).rejects.toMatchObject({ field: "SLUICE_HOST" });
  });
});
