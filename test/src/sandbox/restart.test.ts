import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFile, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline/promises";

import { describe, expect, it, onTestFinished } from "vitest";

import { startSandbox } from "../../../src/sandbox/http/server.ts";
import { until } from "../../support/process/process.ts";
import {
  account,
  gzipOf,
  SandboxClient,
  started,
  temporaryFolder,
  textLike,
} from "./sandbox-client.ts";

/** A sandbox in a process of its own, so that it can be killed. */
async function startedApart(
  dataFolder: string,
): Promise<{ child: ChildProcess; client: SandboxClient }> {
  const server = new URL("../../../src/sandbox/http/server.ts", import.meta.url).href;
  const main = `import { startSandbox } from ${JSON.stringify(server)};
    const settings = { host: "127.0.0.1", port: 0, dataFolder: process.argv[1] };
    console.log((await startSandbox(settings)).address);`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", main, dataFolder], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  const address = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next();
  const sandbox = {
    address: String(address.value),
    order: () => undefined,
    close: async () => undefined,
  };
  return { child, client: new SandboxClient(sandbox, dataFolder) };
}

describe("a restarted sandbox", () => {
  it("keeps records, ledger, verdicts and addresses", async () => {
    const before = await started();
    await before.uploadJson([account(1)]);
    await before.confirm(await before.upload(gzipOf([account(2)])));
    const unconfirmed = await before.upload(gzipOf([{ ...account(1), domain: "later.example" }]));
    const refused = await before.upload(gzipOf([{}]));
    const address = await before.uploadAddress();
    const [ledger, records] = [await before.ledger(), await before.records()];
    await before.close();

    const after = await started({ dataFolder: before.dataFolder });
    expect(await after.ledger()).toEqual(ledger);
    expect(await after.records()).toEqual(records);
    expect((await after.confirm(refused)).status).toBe(422);
    expect((await after.confirm(unconfirmed)).status).toBe(200);
    const url = address.url.replace(before.sandbox.address, after.sandbox.address);
    expect((await after.put(url, gzipOf([account(3)]))).status).toBe(200);
    expect((await after.confirm(address.fileKey)).status).toBe(200);
    expect((await after.records()).map(({ record }) => record)).toEqual([
      { ...account(1), domain: "later.example" },
      account(2),
      account(3),
    ]);
  });

  it("reads a ledger that was written before faults were named in it", async () => {
    const before = await started();
    await before.uploadJson([account(1)]);
    const ledger = await before.ledger();
    await before.close();
    const path = join(before.dataFolder, "ledger.jsonl");
    const text = await readFile(path, "utf8");
    expect(text).toContain(',"fault":null');
    await writeFile(path, text.replace(',"fault":null', ""));
    const after = await started({ dataFolder: before.dataFolder });
    expect(await after.ledger()).toEqual(ledger);
  });

  it("has every answered request after kill -9, and nothing half done", async () => {
    const folder = await temporaryFolder();
    const { child, client } = await startedApart(folder);
    const answered = new Set<string>();
    const send = async (worker: number): Promise<void> => {
      for (let number = 0; ; number += 1) {
        const record = { ...account(1), account_id: `${worker}-${number}` };
        const isFile = number % 2 === 0;
        try {
          const { status } = isFile
            ? await client.confirm(await client.upload(gzipOf([record])))
            : await client.uploadJson([record]);
          if (status === 200) answered.add(record.account_id);
        } catch {
          return;
        }
        if (answered.size >= 60) child.kill("SIGKILL");
      }
    };
    const sending = Promise.all([0, 1, 2, 3].map(send));
    await once(child, "exit");
    await sending;

    const after = await started({ dataFolder: folder });
    const ids = (await after.records()).map(({ record }) => String(record["account_id"]));
    expect(new Set(ids)).toEqual(new Set([...answered, ...ids]));
    expect(ids.length - answered.size).toBeLessThanOrEqual(4);
    expect(ids.length).toBe((await after.ledger()).filter(({ applied }) => applied).length);
  });

  it("forgets a line that was not written whole, and files that no line knows", async () => {
    const before = await started();
    await before.uploadJson([account(1)]);
    await before.close();
    const ledger = join(before.dataFolder, "ledger.jsonl");
    const whole = await readFile(ledger, "utf8");
    await appendFile(ledger, '{"entry":{"t":"2026');
    await writeFile(join(before.dataFolder, "uploads", "orphan.part"), "half a file");

    const after = await started({ dataFolder: before.dataFolder });
    expect(await readFile(ledger, "utf8")).toBe(whole);
    expect(await readdir(join(after.dataFolder, "uploads"))).toHaveLength(1);
    await after.uploadJson([account(2)]);
    expect(await after.ledger()).toHaveLength(2);
    expect(await after.records()).toHaveLength(2);
  });

  it("refuses a ledger that was changed by hand", async () => {
    const before = await started();
    await before.uploadJson([account(1)]);
    await before.close();
    await appendFile(join(before.dataFolder, "ledger.jsonl"), "{}\n");
    await expect(started({ dataFolder: before.dataFolder })).rejects.toThrow("entry");
  });
});

describe("startSandbox", () => {
  it("refuses a data folder that another sandbox holds", async () => {
    const { dataFolder } = await started();
    const again = startSandbox({ host: "127.0.0.1", port: 0, dataFolder });
    await expect(again).rejects.toThrow(/in use by another sandbox/);
  });

  it("leaves the data folder when the port is taken", async () => {
    const holder = await started();
    const port = Number(new URL(holder.sandbox.address).port);
    const dataFolder = await temporaryFolder();
    await expect(startSandbox({ host: "127.0.0.1", port, dataFolder })).rejects.toThrow(
      "EADDRINUSE",
    );
    const client = await started({ dataFolder });
    expect(await client.records()).toEqual([]);
  });

  it("closes while a request is under way", async () => {
    const client = await started();
    client.sandbox.order({ step: "ping", do: { delayMs: 600_000 } });
    const waiting = client.get("/v1/ping");
    await client.uploadJson([account(1)]);
    await Promise.all([
      client.close(),
      expect(waiting).rejects.toThrow(/other side closed|ECONNRESET/),
    ]);
  });

  it("closes while answers are held back", async () => {
    const client = await started({
      faults: [{ dripMs: 600_000 }, { stallAt: 3 }, { noAnswer: true as const }].map((action) => ({
        step: "upload-json",
        do: action,
      })),
    });
    const waiting = [1, 2, 3].map((number) => client.uploadJson([account(number)]));
    await until(async () => (await client.ledger()).length === 3);
    const failures = Promise.allSettled(waiting);
    await client.close();
    expect((await failures).map(({ status }) => status)).toEqual(Array(3).fill("rejected"));
  });

  it("says what it is", async () => {
    const client = await started();
    expect(await client.get("/")).toMatchObject({
      status: 200,
      body: textLike(expect.stringMatching(/^sluice sandbox: .*\n$/)),
    });
  });
});
