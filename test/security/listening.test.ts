import { spawn } from "node:child_process";
import { readdir, readFile, readlink, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, it, onTestFinished } from "vitest";

import { readEnvironment } from "../../src/config/environment.ts";
import { temporalOptions } from "../../src/local/connect.ts";
import { findTemporal } from "../../src/local/find-temporal.ts";
import { startOnPorts } from "../../src/local/ports.ts";
import { startTemporal } from "../../src/local/temporal-server.ts";
import { keptPorts } from "../support/process/kept-ports.ts";
import { end, until, watch } from "../support/process/process.ts";
import { temporaryFolder } from "../support/process/temporary-folder.ts";
import { bin } from "../support/project/project.ts";

/** The state of a listening socket in /proc/net/tcp. */
const listening = "0A";

/** The addresses on which a process listens, as the kernel writes them: 0100007F is 127.0.0.1. */
async function addressesOf(pid: number): Promise<string[]> {
  const folder = `/proc/${pid}/fd`;
  const links = (await readdir(folder)).map(
    async (name) => await readlink(join(folder, name)).catch(() => ""),
  );
  const sockets = new Set(
    (await Promise.all(links)).map((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1]),
  );
  const tables = ["tcp", "tcp6"].map(
    async (name) => await readFile(`/proc/${pid}/net/${name}`, "utf8"),
  );
  const lines = (await Promise.all(tables)).join("\n").split("\n");
  return lines
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , , state, , , , , , inode]) => state === listening && sockets.has(inode))
    .map(([, address = ""]) => address.split(":")[0] ?? "");
}

const loopback = ["0100007F", "00000000000000000000000001000000"];

describe("what listens when nobody says where (T21)", () => {
  it("is bound to 127.0.0.1", () => {
    expect(readEnvironment({}).host).toBe("127.0.0.1");
    expect(readEnvironment({ SLUICE_HOST: "" }).host).toBe("127.0.0.1");
    expect(readEnvironment({ SLUICE_HOST: "0.0.0.0" }).host).toBe("0.0.0.0");
  });

  it("is reached from this machine alone: the embedded Temporal, all its ports", async () => {
    const folder = await temporaryFolder();
    const binary = await findTemporal({ env: process.env, say: () => undefined });
    const { host: ip } = readEnvironment({});
    const logFile = join(folder, "log");
    const server = await startOnPorts({
      ip,
      logFile,
      preferred: await keptPorts(2),
      start: async ([port = 0, uiPort = 0]) =>
        await startTemporal({ binary, ip, ports: { port, uiPort }, logFile }),
    });
    onTestFinished(async () => await server.stop());
    const addresses = await addressesOf(server.pid);
    expect(addresses.length).toBeGreaterThanOrEqual(2);
    expect(addresses.filter((address) => !loopback.includes(address))).toEqual([]);
  });

  it("is reached from this machine alone: the sandbox", async () => {
    const folder = await temporaryFolder();
    const child = spawn(
      process.execPath,
      [bin, "sandbox", "--port", "0", "--data", join(folder, "data")],
      {
        env: { PATH: process.env["PATH"], HOME: process.env["HOME"] },
        stdio: ["ignore", "pipe", "pipe"],
      },
    );
    onTestFinished(async () => await end(child, "SIGTERM"));
    const { printed } = watch(child);
    await until(async () => printed().stdout.includes("sandbox at"));
    const addresses = await addressesOf(child.pid ?? 0);
    expect(addresses).toHaveLength(1);
    expect(addresses.filter((address) => !loopback.includes(address))).toEqual([]);
  });
});

/** The options of a connection under this profile. */
async function optionsOf(profile: string): Promise<ReturnType<typeof temporalOptions>> {
  const file = join(await temporaryFolder(), "temporal.toml");
  await writeFile(file, profile);
  const before = { ...process.env };
  for (const name of Object.keys(process.env))
    if (name.startsWith("TEMPORAL_")) delete process.env[name];
  process.env["TEMPORAL_CONFIG_FILE"] = file;
  onTestFinished(() => {
    delete process.env["TEMPORAL_CONFIG_FILE"];
    Object.assign(process.env, before);
  });
  return temporalOptions(undefined);
}

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

describe("the settings of a Temporal that is not open (T21)", () => {
  it("reach the client: address, namespace, API key and TLS", async () => {
    const options = await optionsOf(`[profile.default]
address = "ns.acct.tmprl.cloud:7233"
namespace = "ns.acct"
api_key = "canary-cloud-key"
`);
    expect(options.namespace).toBe("ns.acct");
    const { address, apiKey, tls } = options.connectionOptions;
    expect({ address, apiKey }).toEqual({
      address: "ns.acct.tmprl.cloud:7233",
      apiKey: "canary-cloud-key",
    });
    expect(tls).toBeTruthy();
  });

  it("reach the client: certificates and a server's name", async () => {
    const options = await optionsOf(`[profile.default]
address = "temporal.example:7233"
[profile.default.tls]
server_name = "temporal.internal"
client_cert_data = "certificate"
client_key_data = "key"
`);
    expect(options.connectionOptions.tls).toMatchObject({
      serverNameOverride: "temporal.internal",
      clientCertPair: { crt: bytesOf("certificate"), key: bytesOf("key") },
    });
  });

  it("never reach an embedded server of ours", async () => {
    await optionsOf('[profile.default]\napi_key = "canary-cloud-key"\n');
    expect(temporalOptions("127.0.0.1:7233")).toEqual({
      connectionOptions: { address: "127.0.0.1:7233" },
      namespace: "default",
    });
  });
});
