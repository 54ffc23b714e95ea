import { chmod, mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import {
  addIgnored,
  addSecret,
  refuseExisting,
  writeFiles,
} from "../../../../src/cli/project/files.ts";
import { readVariables } from "../../../../src/config/document/variables.ts";
import { temporaryFolder } from "../../../support/process/temporary-folder.ts";

const paths = [".env", ".sluice/"];

describe("addIgnored", () => {
  it.each([
    ["nothing", "", ".env\n.sluice/\n"],
    ["a last line without its end", "dist", "dist\n.env\n.sluice/\n"],
    ["some of it", "/.env\r\n", "/.env\r\n.sluice/\n"],
    ["all of it", ".sluice\n .env \n", ".sluice\n .env \n"],
    ["what only looks so", "# .env\n.env.*\n", "# .env\n.env.*\n.env\n.sluice/\n"],
  ])("adds what is missing to %s", async (_, before, after) => {
    const folder = await temporaryFolder();
    const file = join(folder, ".gitignore");
    if (before !== "") await writeFile(file, before);
    expect(await addIgnored(folder, paths)).toBe(before !== after);
    expect(await readFile(file, "utf8")).toBe(after);
    expect(await addIgnored(folder, paths)).toBe(false);
  });
});

describe("addSecret", () => {
  it.each(["plain", "a#b", "it's", `"both" and 'both' # here`, "a b", "$x"])(
    "keeps %s as it is read again",
    async (value) => {
      const folder = await temporaryFolder();
      await addSecret(folder, "URL", value);
      expect((await readVariables(folder, {})).get("URL")).toBe(value);
      expect((await stat(join(folder, ".env"))).mode & 0o777).toBe(0o600);
    },
  );

  it("quotes a $, which Compose fills in where no single quotes hold it", async () => {
    const folder = await temporaryFolder();
    await addSecret(folder, "URL", "postgres://a:pa$word@db/crm");
    expect(await readFile(join(folder, ".env"), "utf8")).toBe(
      "URL='postgres://a:pa$word@db/crm'\n",
    );
  });

  it("adds to a file that is there, and takes it from others", async () => {
    const folder = await temporaryFolder();
    const file = join(folder, ".env");
    await writeFile(file, "A=1\nURL=");
    await chmod(file, 0o644);
    await addSecret(folder, "URL", "x");
    expect(await readFile(file, "utf8")).toBe("A=1\nURL=\nURL=x\n");
    expect((await readVariables(folder, {})).get("URL")).toBe("x");
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it("refuses what no such file can hold, and does not say it", async () => {
    const refused = addSecret(await temporaryFolder(), "URL", "a'b\"c`d#sesame");
    await expect(refused).rejects.toThrow(/^\.env cannot hold this URL$/);
  });
});

describe("writeFiles", () => {
  const files = [{ name: "a.yaml", text: "new" }];

  it("never overwrites a file unless it is told to", async () => {
    const folder = await temporaryFolder();
    await refuseExisting(folder, ["a.yaml"]);
    await writeFile(join(folder, "a.yaml"), "old");
    await expect(refuseExisting(folder, ["b", "a.yaml"])).rejects.toThrow(
      /^a\.yaml is here already$/,
    );
    await expect(writeFiles(folder, files, { replace: false })).rejects.toThrow("a.yaml is here");
    expect(await readFile(join(folder, "a.yaml"), "utf8")).toBe("old");
    await writeFiles(folder, files, { replace: true });
    expect(await readFile(join(folder, "a.yaml"), "utf8")).toBe("new");
  });

  it("says which file cannot be written", async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, "a.yaml"));
    const refused = writeFiles(folder, files, { replace: true });
    await expect(refused).rejects.toThrow(/^cannot write a\.yaml: /);
  });
});
