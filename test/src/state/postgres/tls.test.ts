import { spawn } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { expect, it } from "vitest";

import { Secret } from "../../../../src/security/secret.ts";
import { lookAtStore } from "../../../../src/state/postgres/look-at-store.ts";
import { migrateStore } from "../../../../src/state/postgres/migrate.ts";
import { authority, ownHost } from "../../../support/certificates.ts";
import { ownPostgres } from "../../../support/postgres/postgres.ts";
import { watch } from "../../../support/process/process.ts";
import { temporaryFolder } from "../../../support/process/temporary-folder.ts";
import { startRaw } from "../../../support/raw-server.ts";

const opener = fileURLToPath(new URL("open-both.ts", import.meta.url));

/** The result of opening state and inbox in a process that also trusts this authority. */
async function openedWith(url: string, ca?: string): Promise<unknown> {
  const folder = await temporaryFolder();
  const file = join(folder, "ca.pem");
  await writeFile(file, ca ?? "");
  const trusted = ca === undefined ? {} : { NODE_EXTRA_CA_CERTS: file };
  const child = spawn(process.execPath, [opener], {
    env: { PATH: process.env["PATH"], STORE_URL: url, STATE_FOLDER: folder, ...trusted },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const { stdout, stderr } = await watch(child).ended;
  expect(stderr).toBe("");
  return JSON.parse(stdout);
}

async function storeUrl(sslmode: string): Promise<string> {
  const { url } = await ownPostgres();
  await migrateStore({ url: new Secret(url), schema: "sluice" });
  return `${url}?sslmode=${sslmode}`;
}

const opened = { state: "opened", inbox: "opened" };

/** Both fail, with this hint. */
function bothSay(hint: string): object {
  const failed = { code: "Unavailable", hint: expect.stringContaining(hint) as unknown };
  return { state: failed, inbox: failed };
}

it("state and inbox in Postgres are opened where the server's certificate is that of an authority named", async () => {
  expect(await openedWith(await storeUrl("verify-full"), ownHost.cert)).toEqual(opened);
});

it.each([
  ["no authority is named", undefined],
  ["another one is named", authority],
])(
  "a certificate that is not to be trusted opens neither, and the way out is told: %s",
  async (_, ca) => {
    const answer = await openedWith(await storeUrl("verify-full"), ca);
    expect(answer).toMatchObject(bothSay("NODE_EXTRA_CA_CERTS"));
  },
);

it("a server without TLS is told to turn it on", async () => {
  const server = await startRaw((socket) => socket.once("data", () => socket.end("N")));
  const url = `postgres://u:x@127.0.0.1:${server.port}/d?sslmode=verify-full`;
  await expect(lookAtStore({ url: new Secret(url), schema: "sluice" })).rejects.toMatchObject({
    hint: expect.stringMatching(/^turn TLS on in the server/) as unknown,
  });
});

it("a certificate is not looked at where that is asked for", async () => {
  expect(await openedWith(await storeUrl("require"))).toEqual(opened);
});
