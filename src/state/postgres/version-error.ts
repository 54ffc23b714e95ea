import { ConfigError } from "../../errors.ts";
import { storeSteps } from "./schema.ts";
import { storeName, type StoreServer } from "./server.ts";

/** The error of a store whose schema has another version than this sluice knows; 0 is of none at all. */
export function versionError(version: number, server: StoreServer): ConfigError {
  const where = storeName(server);
  if (version > storeSteps.length) {
    return new ConfigError(
      `${where} has schema version ${version}; this sluice knows versions up to ${storeSteps.length}`,
      { field: "store", hint: "upgrade sluice here to the version that runs on the other hosts" },
    );
  }
  const message =
    version === 0
      ? `${where} has no tables yet`
      : `${where} has schema version ${version}; this sluice needs version ${storeSteps.length}`;
  const hint = "run `sluice store migrate` once, with a role that may create tables";
  return new ConfigError(message, { field: "store", hint });
}
