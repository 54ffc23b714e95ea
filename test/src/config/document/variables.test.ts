import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { readVariables } from "../../../../src/config/document/variables.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sluice-variables-"));
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

describe("readVariables", () => {
  it("takes from .env only what the environment does not set", async () => {
    await writeFile(join(folder, ".env"), 'A=file\nB="two words"\nC=file\n# D=no\nE=file\n');
    const variables = await readVariables(folder, { A: "env", C: "", E: undefined, F: "env" });
    expect(Object.fromEntries(variables)).toEqual({
      A: "env",
      B: "two words",
      C: "",
      E: "file",
      F: "env",
    });
  });

  it("takes the first variable of a file that begins with a byte order mark", async () => {
    await writeFile(join(folder, ".env"), "\uFEFFA=file\r\nB=x\r\n");
    expect([...(await readVariables(folder, {}))]).toEqual([
      ["A", "file"],
      ["B", "x"],
    ]);
  });

  it("takes the environment alone when there is no .env file", async () => {
    expect([...(await readVariables(folder, { A: "1" }))]).toEqual([["A", "1"]]);
  });

  it("passes over a folder named .env", async () => {
    await mkdir(join(folder, ".env"));
    expect([...(await readVariables(folder, { A: "1" }))]).toEqual([["A", "1"]]);
  });
});
