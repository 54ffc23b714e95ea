import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { afterEach, expect, it, onTestFinished, vi } from "vitest";

import { configOf } from "../../../../src/cli/output/context.ts";
import { openSession } from "../../../../src/cli/running/session.ts";
import { readEnvironment } from "../../../../src/config/environment.ts";
import { temporaryFolder } from "../../../support/process/temporary-folder.ts";
import { accountsConfig } from "../../../support/project/project.ts";
import { ownNamespace } from "../../../support/temporal/own-namespace.ts";

afterEach(() => void vi.unstubAllEnvs());

it("a session that is interrupted while it waits for a worker does not open", async () => {
  const folder = await temporaryFolder();
  const { address, namespace, close } = await ownNamespace(folder);
  onTestFinished(close);
  vi.stubEnv("TEMPORAL_ADDRESS", address);
  vi.stubEnv("TEMPORAL_NAMESPACE", namespace);
  await writeFile(join(folder, "sluice.yaml"), accountsConfig());
  const environment = readEnvironment({
    TEMPORAL_ADDRESS: address,
    SLUICE_BASE_URL: "http://127.0.0.1:9",
    SLUICE_LEGACY_BASE_URL: "http://127.0.0.1:9",
    SLUICE_API_KEY: "a-key",
  });
  const interrupted = new AbortController();
  const said: string[] = [];
  const say = (text: string): void => {
    said.push(text);
    if (text.startsWith("waiting for a worker")) interrupted.abort();
  };
  const context = { print: () => undefined, say, exit: () => undefined, environment, cwd: folder };
  const { signal } = interrupted;
  const config = await configOf(context, {});
  const from = Date.now();
  const how = { signal, isPinged: false, command: "run" };
  expect(await openSession(config, context, how)).toBeUndefined();
  // Without the interruption it would look for a worker for 30 s.
  expect(Date.now() - from).toBeLessThan(10_000);
  expect(said).toEqual(["waiting for a worker on the task queue sluice"]);
});
