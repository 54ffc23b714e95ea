import { join } from "node:path";

import { expect, it, onTestFinished } from "vitest";

import { lookReady } from "../../../src/probes/readiness.ts";
import { startProbes } from "../../../src/probes/server.ts";
import { temporaryFolder } from "../../support/process/temporary-folder.ts";
import { openStoreInline } from "../../support/project/inline-threads.ts";

const well = { temporal: "ok", store: "ok", folder: "ok" } as const;

async function askTemporal(): Promise<string> {
  return await Promise.resolve("it answers");
}

async function away(): Promise<never> {
  return await Promise.reject(new Error("away"));
}

it("a worker lives as soon as it answers, and is ready while all that it needs is there", async () => {
  const probes = await startProbes({ host: "127.0.0.1", port: 0 });
  onTestFinished(async () => await probes.close());
  const get = async (path: string, method = "GET"): Promise<unknown> => {
    const answer = await fetch(new URL(path, probes.address), { method });
    return [answer.status, await answer.text()];
  };
  expect(await get("/livez")).toEqual([200, '{"status":"ok"}']);
  expect(await get("/readyz")).toEqual([503, '{"worker":"starts or stops"}']);
  let looks = 0;
  const looked = Promise.withResolvers<void>();
  probes.watch(async () => {
    looks += 1;
    await looked.promise;
    return well;
  });
  const both = [get("/readyz"), get("/readyz?verbose")];
  await expect.poll(() => looks).toBe(1);
  looked.resolve();
  expect(await Promise.all(both)).toEqual([
    [200, JSON.stringify(well)],
    [200, JSON.stringify(well)],
  ]);
  for (const lack of [{ temporal: "away" }, { store: "away" }, { folder: "unwritable" }] as const) {
    probes.watch(async () => await Promise.resolve({ ...well, ...lack }));
    expect(await get("/readyz")).toEqual([503, JSON.stringify({ ...well, ...lack })]);
  }
  expect(await get("/livez")).toEqual([200, '{"status":"ok"}']);
  probes.watch(undefined);
  expect(await get("/readyz", "HEAD")).toEqual([503, ""]);
  expect(await get("/livez", "POST")).toEqual([405, "{}"]);
  expect(await get("/metrics")).toEqual([404, "{}"]);
  await expect(
    startProbes({ host: "127.0.0.1", port: Number(probes.address.port) }),
  ).rejects.toThrow(`the worker cannot listen at 127.0.0.1:${probes.address.port}`);
});

it("a look or a metric that fails is an error of its request alone", async () => {
  const probes = await startProbes({ host: "127.0.0.1", port: 0, metrics: away });
  onTestFinished(async () => await probes.close());
  probes.watch(away);
  const statusOf = async (path: string) => (await fetch(new URL(path, probes.address))).status;
  expect([await statusOf("/metrics"), await statusOf("/readyz")]).toEqual([500, 500]);
  expect(await statusOf("/livez")).toBe(200);
});

it("what a worker needs is looked for where it is", async () => {
  const folder = await temporaryFolder();
  const state = await openStoreInline(folder);
  const at = { askTemporal, state, stateFolder: folder };
  expect(await lookReady(at)).toEqual(well);
  expect(await lookReady({ ...at, askTemporal: away })).toEqual({ ...well, temporal: "away" });
  const gone = join(folder, "gone");
  expect(await lookReady({ ...at, stateFolder: gone })).toEqual({ ...well, folder: "unwritable" });
  await state.close();
  expect(await lookReady(at)).toEqual({ ...well, store: "away" });
});
