import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { pino } from "pino";
import { expect, it } from "vitest";

import { sources } from "../../../../connectors/registry.ts";
import { changedConfig, justRead, watchConfig } from "../../../../src/cli/serve/watch-config.ts";
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
  const read = justRead(config);
  const changed = changedConfig(read, load, { tried: read, warn, signal });
  await writeFile(file, `${accountsConfig()}nonsense: [\n`);
  await expect.poll(() => warned.length, { timeout: 10_000 }).toBe(1);
  expect(warned[0]).toContain("is not used");
  await writeFile(file, accountsConfig({ sync: "min_rows: 7" }));
  expect((await changed)?.config.syncs.get("accounts")?.minRows).toBe(7);
  // A configuration that was tried and could not be started is not tried again until it changes.
  const idle = changedConfig(read, load, {
    tried: justRead(await load()),
    warn,
    signal: AbortSignal.timeout(3_000),
  });
  expect(await idle).toBeUndefined();
});

function settings({ api, syncs }: Config): readonly unknown[] {
  return [api.apiKey.reveal(), syncs.get("accounts")?.recordModule?.hash];
}

it.each([
  ["a mapping module", "map.mjs", "export const mapRecord = () => null; // edited\n"],
  [".env", ".env", "SLUICE_API_KEY=another-key\n"],
])("takes up a change of %s that was made before it began to look", async (_, name, text) => {
  const folder = await temporaryFolder();
  const file = join(folder, "sluice.yaml");
  const load = async (): Promise<Config> =>
    await loadConfig({ path: file, cwd: folder, env: {}, connectors: sources });
  await writeFile(join(folder, "map.mjs"), "export const mapRecord = () => null;\n");
  await writeFile(join(folder, ".env"), "SLUICE_API_KEY=one-key\n");
  await writeFile(
    file,
    `version: 1
api: { api_key: "\${SLUICE_API_KEY}" }
connections: { files: { connector: csv, path: a.csv } }
syncs: { accounts: { from: files, stream: account, record: ./map.mjs } }
`,
  );
  const read = justRead(await load());
  // As while everything stops and starts.
  await writeFile(join(folder, name), text);
  const next = await changedConfig(read, load, {
    tried: read,
    warn: () => undefined,
    signal: AbortSignal.timeout(5_000),
  });
  expect(next).toBeDefined();
  expect(settings(next?.config ?? read.config)).not.toEqual(settings(read.config));
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
