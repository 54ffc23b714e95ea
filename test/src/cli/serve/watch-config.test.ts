import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { pino } from "pino";
import { expect, it } from "vitest";

import { sources } from "../../../../connectors/registry.ts";
import { changedConfig, watchConfig } from "../../../../src/cli/serve/watch-config.ts";
import type { Config } from "../../../../src/config/config.ts";
import { loadConfig } from "../../../../src/config/load.ts";
import { temporaryFolder } from "../../../support/process/temporary-folder.ts";
import { accountsConfig } from "../../../support/project/project.ts";

it("takes a changed file up once it is valid, and says meanwhile what is wrong with it", async () => {
  const folder = await temporaryFolder();
  const file = join(folder, "sluice.yaml");
  const env = { SLUICE_BASE_URL: "sandbox", SLUICE_LEGACY_BASE_URL: "sandbox" };
  const load = async (): Promise<Config> =>
    await loadConfig({ path: file, cwd: folder, env, connectors: sources });
  await writeFile(file, accountsConfig());
  const config = await load();
  const warned: string[] = [];
  const warn = (text: string): void => void warned.push(text);
  const { signal } = new AbortController();
  const changed = changedConfig(config, load, { tried: config, warn, signal });
  await writeFile(file, `${accountsConfig()}nonsense: [\n`);
  await expect.poll(() => warned.length, { timeout: 10_000 }).toBe(1);
  expect(warned[0]).toContain("is not used");
  await writeFile(file, accountsConfig({ sync: "min_rows: 7" }));
  expect((await changed)?.syncs.get("accounts")?.minRows).toBe(7);
  // A configuration that was tried and could not be started is not tried again until it changes.
  const idle = changedConfig(config, load, {
    tried: await load(),
    warn,
    signal: AbortSignal.timeout(3_000),
  });
  expect(await idle).toBeUndefined();
});

it("warns once of a file that changed between its reading and the watch", async () => {
  const folder = await temporaryFolder();
  const file = join(folder, "sluice.yaml");
  await writeFile(file, accountsConfig());
  const env = { SLUICE_BASE_URL: "sandbox", SLUICE_LEGACY_BASE_URL: "sandbox" };
  const config = await loadConfig({ path: file, cwd: folder, env, connectors: sources });
  const lines: string[] = [];
  const log = pino({ base: null }, { write: (line: string) => void lines.push(line) });
  watchConfig(config, log)();
  expect(lines).toEqual([]);
  await writeFile(file, accountsConfig({ sync: "min_rows: 7" }));
  watchConfig(config, log)();
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain("has changed: restart this process");
});
