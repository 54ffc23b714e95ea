import { basename } from "node:path";

import type { Config, SyncConfig } from "../../config/config.ts";
import { ConfigError } from "../../errors.ts";
import { syncNamed } from "../named.ts";
import { withStateThere } from "./mapped-rows.ts";

/**
 * The sync of that name, for a command about what the store keeps of it.
 * @throws {ConfigError} there is none; for the former name of a sync, the message says how the command finds it.
 */
export async function syncOrFormer(config: Config, name: string): Promise<SyncConfig> {
  const { syncs, pulls, file } = config;
  if (syncs.has(name) || pulls.has(name)) return syncNamed(config, name);
  const wasThere = await withStateThere(
    config,
    async (state) => ((await state?.runs({ sync: name, limit: 1 })) ?? []).length > 0,
    { onlyReads: true },
  );
  if (!wasThere) return syncNamed(config, name);
  throw new ConfigError(`there is no sync "${name}" in ${file} any more`, {
    hint:
      `its kept data has this name: give it to the sync in a copy of ${basename(file)} in the same folder, ` +
      "and add `--config <the copy>`",
  });
}
