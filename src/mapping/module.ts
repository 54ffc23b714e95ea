import { readFile, realpath } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import { types } from "node:util";

import type { RecordModule } from "../config/config.ts";
import { sha256 } from "../config/hash.ts";
import { ConfigChangedError, ConfigError, messageOf } from "../errors.ts";
import { isPlainObject } from "../records/json-value.ts";
import { shapeOf } from "../records/streams.ts";
import type { Row, Stream } from "../records/streams.ts";
import type { CompiledMapping, Mapped } from "./compile.ts";
import { mappingErrorCharsMax } from "./limits.ts";

/** A module, and the sync and the stream that it maps for. */
type ModuleOfSync = RecordModule & { readonly sync: string; readonly stream: Stream };

/**
 * Loads a module that exports `mapRecord(row): record | null`, where null leaves the row out. Each content of the file
 * is loaded once per thread, and Node strips the types. The record gets the member that names its stream when it has
 * none.
 * @throws {ConfigError} the module cannot be loaded, or does not export a plain function `mapRecord`.
 * @throws {ConfigChangedError} the file no longer has this hash.
 */
export async function loadMappingModule(from: ModuleOfSync): Promise<CompiledMapping> {
  const mapRecord = await importMapRecord(from);
  const { discriminator } = shapeOf(from.stream);
  return {
    columns: [],
    plan: { because: "a mapping module makes its records" },
    map(row): Mapped {
      try {
        const result = mapRecord(row);
        if (result === null) return null;
        if (isPlainObject(result)) return { record: { [discriminator]: from.stream, ...result } };
        // A promise that fails while nobody listens would end the worker.
        if (types.isPromise(result)) result.catch(() => undefined);
        return failed("mapRecord returned neither a plain object nor null");
      } catch (error) {
        return failed(thrownText(error));
      }
    },
  };
}

/** Threads load the file at different times: without this check, an edit would give one run two mappings. */
async function assertUnchanged({ path, hash, sync }: ModuleOfSync): Promise<void> {
  if (sha256(await readFile(path)) === hash) return;
  throw new ConfigChangedError(
    `mapping module ${basename(path)} changed since the configuration of sync ${sync} was read`,
    { field: `syncs.${sync}.record`, hint: "restart the worker, then run the sync again" },
  );
}

const commonJs = createRequire(import.meta.url);

/** How often the module of a URL could not be evaluated in this thread: Node keeps that error under its URL. */
const failuresOf = new Map<string, number>();

/** Evaluates a module once for each content: by a URL without its hash, Node returns what it loaded before an edit. */
async function evaluate({ path, hash }: RecordModule): Promise<unknown> {
  const url = `${pathToFileURL(path).href}?${hash}`;
  const failures = failuresOf.get(url) ?? 0;
  try {
    // CommonJS is kept by its file alone, whatever the URL.
    Reflect.deleteProperty(commonJs.cache, await realpath(path));
    return await import(failures === 0 ? url : `${url}-${failures}`);
  } catch (error) {
    failuresOf.set(url, failures + 1);
    throw error;
  }
}

async function importMapRecord(from: ModuleOfSync): Promise<(row: Row) => unknown> {
  const name = basename(from.path);
  let loaded: unknown;
  try {
    await assertUnchanged(from);
    loaded = await evaluate(from);
    // It may have been written between the check and the import.
    await assertUnchanged(from);
  } catch (error) {
    if (error instanceof ConfigChangedError) throw error;
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

/** A minimal module, in one line. */
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
