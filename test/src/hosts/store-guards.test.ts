import { cp, mkdir } from "node:fs/promises";
import { join } from "node:path";

import { expect, it, onTestFinished } from "vitest";

import { configMarks } from "../../../src/hosts/live-workers.ts";
import {
  refuseCopiedFolder,
  refuseOtherTemporal,
  warnOfOtherQueue,
} from "../../../src/hosts/store-guards.ts";
import { Secret } from "../../../src/security/secret.ts";
import { folderName, readHostId } from "../../../src/staging/host-id.ts";
import { version } from "../../../src/version.ts";
import { temporaryFolder } from "../../support/process/temporary-folder.ts";
import { accountsYaml, Harness } from "../../support/project/harness.ts";
import { openStoreInline } from "../../support/project/inline-threads.ts";

const store = { url: new Secret("postgres://u:p@localhost/d"), schema: "sluice" };
const temporalId = "cluster default";

it("a copy of a state folder is refused while a worker works with the folder, and not once it is silent", async () => {
  const root = await temporaryFolder();
  const state = await openStoreInline(root);
  onTestFinished(async () => await state.close());
  const [original, copy] = [join(root, "original"), join(root, "copy")];
  await mkdir(original);
  const hostId = await readHostId(original);
  await cp(original, copy, { recursive: true });
  expect(await readHostId(copy)).toBe(hostId);
  // A worker of another machine, where nobody here can look for its process.
  const worker = { hostId, process: "7", temporalId, version, name: `${hostId} elsewhere 7 1` };
  const beat = { ...worker, folder: folderName(original) };
  await state.beat({ ...beat, lastBeat: Date.now() });
  const at = { state, hostId, temporalId };
  const start = async (stateFolder: string): Promise<void> =>
    await refuseCopiedFolder({ store, stateFolder }, at);
  await expect(start(copy)).rejects.toThrow("was copied from the state folder of a worker");
  await expect(start(original)).resolves.toBeUndefined();
  // A store in a folder is copied with it.
  await refuseCopiedFolder({ store: undefined, stateFolder: copy }, at);
  await state.beat({ ...beat, lastBeat: Date.now() - 26_000 });
  await expect(start(copy)).resolves.toBeUndefined();
});

it("another Temporal than the store was used with first is refused", async () => {
  const state = await openStoreInline(await temporaryFolder());
  onTestFinished(async () => await state.close());
  const come = async (id: string, address: string): Promise<void> =>
    await refuseOtherTemporal({ store }, { state, temporalId: id, address });
  await refuseOtherTemporal({ store: undefined }, { state, temporalId: "x", address: "x:1" });
  await come(temporalId, "one:7233");
  await come(temporalId, "balancer:7233");
  await expect(come("other default", "two:7233")).rejects.toThrow(
    "is used with Temporal at one:7233, namespace default, and this is Temporal at two:7233",
  );
  await expect(come("other default", "one:7233")).rejects.toThrow(
    "another server at the same address",
  );
});

it("a worker that starts names one of the project that polls another task queue, and none of the same", async () => {
  const { deps } = await Harness.open({ yaml: accountsYaml() });
  const { config, state } = deps;
  const said: string[] = [];
  const log = { warn: (_: object, text: string) => void said.push(text) };
  const beat = async (taskQueue: string): Promise<void> => {
    const configs = configMarks({ ...config, temporal: { ...config.temporal, taskQueue } });
    const worker = { hostId: "host", process: "6166", temporalId, version, command: "worker" };
    await state.beat({ ...worker, configs, lastBeat: Date.now() });
    await warnOfOtherQueue(config, { state, temporalId, log });
  };
  await beat(config.temporal.taskQueue);
  expect(said).toEqual([]);
  await beat("theirs");
  expect(said).toHaveLength(1);
  expect(said[0]).toMatch(/^a worker .*\(process 6166, sluice worker\) polls another task queue: /);
  await warnOfOtherQueue(config, { state, temporalId: "elsewhere", log });
  expect(said).toHaveLength(1);
});
