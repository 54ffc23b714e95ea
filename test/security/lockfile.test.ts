import { readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";
import { z } from "zod";

const root = new URL("../../", import.meta.url);
const read = (name: string): unknown => JSON.parse(readFileSync(new URL(name, root), "utf8"));

const versions = z.record(z.string(), z.string()).default({});
const locked = z.object({
  version: z.string().optional(),
  integrity: z.string().optional(),
  link: z.boolean().optional(),
  hasInstallScript: z.boolean().optional(),
});

const manifest = z
  .object({
    dependencies: versions,
    devDependencies: versions,
    overrides: versions,
    allowScripts: z.record(z.string(), z.boolean()),
  })
  .parse(read("package.json"));
const { packages } = z
  .object({ packages: z.record(z.string(), locked) })
  .parse(read("package-lock.json"));

/** Every package from a registry: its path in node_modules, and its entry in the lockfile. */
const fetched = Object.entries(packages).filter(
  ([place, { link }]) => place.startsWith("node_modules/") && link !== true,
);

const nameOf = (place: string): string => place.slice(place.lastIndexOf("node_modules/") + 13);

/** Compares versions part by part: 7.28.1 comes before 7.30.0. */
function isAtLeast(version: string, floor: string): boolean {
  const [given, least] = [version, floor].map((text) => text.split(".").map(Number));
  const at = least?.findIndex((part, index) => part !== given?.[index]) ?? -1;
  return at === -1 || (given?.[at] ?? 0) > (least?.[at] ?? 0);
}

describe("the dependencies (T20)", () => {
  it("are pinned to one version each", () => {
    const { dependencies, devDependencies, overrides } = manifest;
    const ranges = Object.entries({ ...dependencies, ...devDependencies, ...overrides }).filter(
      ([, version]) => !/^(?:\d+\.\d+\.\d+|file:tools\/\S+)$/.test(version),
    );
    expect(ranges).toEqual([]);
    const others = Object.entries({ ...dependencies, ...devDependencies }).filter(
      ([name, version]) =>
        !version.startsWith("file:") && packages[`node_modules/${name}`]?.version !== version,
    );
    expect(others).toEqual([]);
  });

  it("have a SHA-512 in the lockfile, every one", () => {
    expect(fetched.length).toBeGreaterThan(300);
    const unsure = fetched.filter(([, { integrity }]) => integrity?.startsWith("sha512-") !== true);
    expect(unsure).toEqual([]);
  });

  it("run no script when they are installed", () => {
    const scripted = fetched.filter(([, { hasInstallScript }]) => hasInstallScript === true);
    const allowed = scripted.filter(([place]) => manifest.allowScripts[nameOf(place)] !== false);
    expect(scripted.length).toBeGreaterThan(0);
    expect(allowed).toEqual([]);
    expect(Object.values(manifest.allowScripts)).not.toContain(true);
  });

  it.each([
    // GHSA-2mjp-6q6p-2qxm (smuggling), GHSA-8xcm-r25x-g524 (retry), GHSA-g9mf-h72j-4rw9 (decompression).
    ["undici", "7.28.1"],
  ])("hold no %s below %s, wherever it lies", (name, floor) => {
    const found = fetched.filter(([place]) => nameOf(place) === name);
    expect(found.length).toBeGreaterThan(0);
    const below = found.filter(([, { version = "0" }]) => !isAtLeast(version, floor));
    expect(below).toEqual([]);
  });

  it.each([
    ["7.28.0", false],
    ["7.28.1", true],
    ["7.28.2", true],
    ["7.9.9", false],
    ["8.0.0", true],
    ["6.30.0", false],
  ])("judges 7.28.1 as the floor of %s: %j", (version, expected) => {
    expect(isAtLeast(version, "7.28.1")).toBe(expected);
  });
});
