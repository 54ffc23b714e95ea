import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { readSecretFile, secretFault } from "../../../../src/config/document/secret-file.ts";
import { secretFileBytesMax } from "../../../../src/config/limits.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sluice-secret-"));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

async function readBack(content: string): Promise<unknown> {
  const path = join(folder, "key");
  await writeFile(path, content);
  return await readSecretFile({ path, name: "keys/prod" });
}

describe("secretFault (T10)", () => {
  it.each(["a", "sk_live-1.2~!"])("accepts %s", (value) => {
    expect(secretFault(value)).toBeUndefined();
  });

  it.each(["a b", "a\r\nx-evil: 1", "a\0", "clé", "\u007f"])("refuses %j", (value) => {
    expect(secretFault(value)).toBe("must be printable ASCII without blanks");
  });

  it("refuses an empty value", () => {
    expect(secretFault("")).toBe("must not be empty");
  });
});

describe("readSecretFile", () => {
  it("drops the blanks around the secret", async () => {
    expect(await readBack("\n s3cret\r\n\n")).toEqual({ value: "s3cret" });
  });

  it.each([
    [" \n", "keys/prod must not be empty"],
    ["one\ntwo", "keys/prod must be printable ASCII without blanks"],
  ])("refuses %j and names the file", async (content, fault) => {
    expect(await readBack(content)).toEqual({ fault });
  });

  it.each([
    [-1, true],
    [0, true],
    [1, false],
  ])("accepts a file of the largest size %+i: %j", async (more, isAccepted) => {
    const read = await readBack("k".repeat(secretFileBytesMax + more));
    expect(read).toEqual(
      isAccepted
        ? { value: "k".repeat(secretFileBytesMax + more) }
        : { fault: "keys/prod is larger than 65536 bytes" },
    );
  });

  it("says why a file cannot be read", async () => {
    expect(await readSecretFile({ path: join(folder, "none"), name: "none" })).toEqual({
      fault: "cannot read none: there is no such file",
    });
    expect(await readSecretFile({ path: folder, name: "keys" })).toEqual({
      fault: "cannot read keys: it is a folder",
    });
  });
});
