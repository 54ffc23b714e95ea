import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { RecordModule } from "../../../src/config/config.ts";
import { sha256 } from "../../../src/config/hash.ts";
import { ConfigError } from "../../../src/errors.ts";
import type { CompiledMapping, Mapped } from "../../../src/mapping/compile.ts";
import { parseJsonRow } from "../../../src/mapping/json-row.ts";
import { mappingErrorCharsMax } from "../../../src/mapping/limits.ts";
import { loadMappingModule } from "../../../src/mapping/module.ts";

let folder: string;
let written = 0;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "sluice-mapping-"));
});

afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** A module of its own each time, because Node loads a path once. */
function moduleOf(source: string): RecordModule {
  written += 1;
  const path = join(folder, `map-${String(written)}.ts`);
  writeFileSync(path, source);
  return { path, hash: sha256(source) };
}

/** The source of a module that makes a record of this id. */
function named(id: string): string {
  return `export const mapRecord = () => ({ account_id: "${id}", domain: "a.example" });`;
}

async function load(module: RecordModule): Promise<CompiledMapping> {
  return await loadMappingModule({ ...module, sync: "accounts", stream: "account" });
}

async function mapWith(body: string): Promise<Mapped> {
  const source = `export function mapRecord(row: Record<string, string>) { ${body} }`;
  return (await load(moduleOf(source))).map({ id: "7" });
}

async function refusalOf(source: string): Promise<ConfigError> {
  try {
    await load(moduleOf(source));
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new TypeError("the module was taken");
}

describe("loadMappingModule", () => {
  it("maps by the file as it is now, also in a thread that loaded it before it was edited", async () => {
    const before = moduleOf(named("before"));
    await load(before);
    writeFileSync(before.path, named("after"));
    const mapped = (await load({ ...before, hash: sha256(named("after")) })).map({});
    expect(JSON.stringify(mapped)).toContain('"after"');
  });

  it("maps by the file as it is now where it is CommonJS, also behind a link", async () => {
    const file = join(folder, "common.cjs");
    const path = join(folder, "linked.cjs");
    symlinkSync(file, path);
    const maps = async (id: string): Promise<string> => {
      const source = named(id).replace("export const mapRecord", "exports.mapRecord");
      writeFileSync(file, source);
      return JSON.stringify((await load({ path, hash: sha256(source) })).map({}));
    };
    expect(await maps("before")).toContain('"before"');
    expect(await maps("after")).toContain('"after"');
  });

  it("loads a file that failed once its reason is gone", async () => {
    const lookup = join(folder, "lookup.json");
    const module = moduleOf(`import { readFileSync } from "node:fs";
      const domain = JSON.parse(readFileSync(${JSON.stringify(lookup)}, "utf8"));
      export const mapRecord = () => ({ account_id: "7", domain });`);
    await expect(load(module)).rejects.toThrow("cannot be loaded");
    writeFileSync(lookup, '"found.example"');
    expect(JSON.stringify((await load(module)).map({}))).toContain("found.example");
  });

  it("maps rows by a module in TypeScript, and writes the stream first", async () => {
    const mapped = await mapWith("return { account_id: row.id, domain: 'a.com' };");
    expect(JSON.stringify(mapped)).toBe(
      '{"record":{"type":"account","account_id":"7","domain":"a.com"}}',
    );
  });

  it("keeps the stream that the module wrote", async () => {
    expect(await mapWith("return { type: 'contact' };")).toEqual({ record: { type: "contact" } });
  });

  it("reads a long number of JSON as its digits, and fails where it makes text of what was refused", async () => {
    const row = parseJsonRow('{"id":9007199254740993,"email":"a","email":"b"}') ?? {};
    const mapBy = async (id: string): Promise<Mapped> => {
      const source = `export function mapRecord(row) { return { account_id: ${id} }; }`;
      return (await load(moduleOf(source))).map(row);
    };
    for (const id of ["String(row.id)", "`${row.id}`"]) {
      expect(await mapBy(id)).toMatchObject({ record: { account_id: "9007199254740993" } });
    }
    expect(await mapBy("`${row.email}`")).toEqual({
      reject: {
        code: "mapping_failed",
        reason: "TypeError: a value that it reads is twice in one JSON object",
      },
    });
  });

  it("leaves a row out on null", async () => {
    expect(await mapWith("return null;")).toBeNull();
  });

  it.each(["", "return 'a';", "return [];", "return new Map();", "return Promise.reject(1);"])(
    "rejects the row when mapRecord says %j",
    async (body) => {
      expect(await mapWith(body)).toEqual({
        reject: {
          code: "mapping_failed",
          reason: "mapRecord returned neither a plain object nor null",
        },
      });
    },
  );

  it("rejects the row when mapRecord throws, and says what", async () => {
    expect(await mapWith("throw new RangeError('no size');")).toEqual({
      reject: { code: "mapping_failed", reason: "RangeError: no size" },
    });
    expect(await mapWith("throw null;")).toMatchObject({ reject: { reason: "threw a object" } });
    expect(await mapWith("return { get a() { throw new Error('late'); } };")).toMatchObject({
      reject: { reason: "Error: late" },
    });
  });

  it("keeps a bounded piece of what was thrown", async () => {
    const lengths = await Promise.all(
      [-1, 0, 1].map(async (more) => {
        const chars = mappingErrorCharsMax - "Error: ".length + more;
        const mapped = await mapWith(`throw new Error("x".repeat(${String(chars)}));`);
        return mapped !== null && "reject" in mapped ? mapped.reject.reason.length : undefined;
      }),
    );
    expect(lengths).toEqual([mappingErrorCharsMax - 1, mappingErrorCharsMax, mappingErrorCharsMax]);
  });

  it.each([
    ["export const map = 1;", "does not export mapRecord"],
    ["export default function mapRecord() {}", "does not export mapRecord"],
    ["export const mapRecord = 1;", "is not a plain function"],
    ["export async function mapRecord() { return null; }", "is not a plain function"],
  ])("refuses %j with an example that would do", async (source, message) => {
    const error = await refusalOf(source);
    expect(error.message).toContain(message);
    expect(error.hint).toContain("export function mapRecord(row) { return { account_id:");
  });

  it("says why a module cannot be loaded", async () => {
    expect((await refusalOf("throw new Error('at load');")).message).toContain("at load");
    expect((await refusalOf("export function (")).message).toContain("cannot be loaded");
    const missing = load({ path: join(folder, "none.ts"), hash: "" });
    await expect(missing).rejects.toThrow(/none\.ts cannot be loaded/);
  });

  it("refuses a file that changed since its hash was taken, loaded before or not", async () => {
    const sound = "export function mapRecord() { return null; }";
    const [fresh, loaded, late] = [
      moduleOf(sound),
      moduleOf(sound),
      moduleOf(`import { appendFileSync } from "node:fs";
appendFileSync(import.meta.filename, "// edited while it is imported");
${sound}`),
    ];
    await load(loaded);
    for (const { path } of [fresh, loaded]) writeFileSync(path, `${sound} // edited`);
    for (const module of [fresh, loaded, late]) {
      await expect(load(module)).rejects.toMatchObject({
        code: "ConfigChanged",
        field: "syncs.accounts.record",
        hint: "restart the worker, then run the sync again",
      });
    }
  });
});
