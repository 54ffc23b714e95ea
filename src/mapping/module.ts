import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import { types } from "node:util";

import { ConfigError, messageOf } from "../errors.ts";
import { mappingErrorCharsMax } from "../limits.ts";
import { isPlainObject } from "../records/json-value.ts";
import { shapeOf } from "../records/streams.ts";
import type { Row, Stream } from "../records/streams.ts";
import type { CompiledMapping, Mapped } from "./compile.ts";

/**
 * Loads a module that exports `mapRecord(row): record | null`, where null leaves the row out. The module is loaded once
 * per process. The record gets the member that names its stream when it has none.
 * @param path absolute path of a .ts, .js or .mjs file; Node strips the types.
 * @throws {ConfigError} the module cannot be loaded, or does not export a plain function `mapRecord`.
 */
export async function loadMappingModule(from: {
  readonly path: string;
  readonly stream: Stream;
}): Promise<CompiledMapping> {
  const mapRecord = await importMapRecord(from);
  const { discriminator } = shapeOf(from.stream);
  return {
    columns: [],
    map(row): Mapped {
      try {
        const result = mapRecord(row);
        if (result === null) return null;
        if (isPlainObject(result)) return { record: { [discriminator]: from.stream, ...result } };
        // A promise that fails with nobody listening would end the worker.
        if (types.isPromise(result)) result.catch(() => undefined);
        return failed("mapRecord returned neither a plain object nor null");
      } catch (error) {
        return failed(thrownText(error));
      }
    },
  };
}

async function importMapRecord(from: {
  readonly path: string;
  readonly stream: Stream;
}): Promise<(row: Row) => unknown> {
  const name = basename(from.path);
  let loaded: unknown;
  try {
    loaded = await import(pathToFileURL(from.path).href);
  } catch (error) {
    throw new ConfigError(`mapping module ${name} cannot be loaded: ${messageOf(error)}`, {
      cause: error,
      field: "record",
    });
  }
  const mapRecord = isPlainObject(loaded) ? loaded["mapRecord"] : undefined;
  if (typeof mapRecord !== "function" || types.isAsyncFunction(mapRecord)) {
    const found =
      mapRecord === undefined
        ? "does not export mapRecord"
        : "exports a mapRecord that is not a plain function";
    throw new ConfigError(`mapping module ${name} ${found}`, {
      field: "record",
      hint: `Write: ${exampleOf(from.stream)}`,
    });
  }
  return (row): unknown => Reflect.apply(mapRecord, undefined, [row]);
}

/** A module that would do, in one line. */
function exampleOf(stream: Stream): string {
  const { textFields, propertiesField } = shapeOf(stream);
  const members = [...textFields.map((name) => `${name}: row.${name}`), `${propertiesField}: {}`];
  return `export function mapRecord(row) { return { ${members.join(", ")} }; }`;
}

function failed(reason: string): Mapped {
  return { reject: { code: "mapping_failed", reason } };
}

/** The error's class and the start of its message, which may quote the row. */
function thrownText(error: unknown): string {
  const text =
    error instanceof Error ? `${error.name}: ${error.message}` : `threw a ${typeof error}`;
  return text.slice(0, mappingErrorCharsMax).toWellFormed();
}
