import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { Command } from "commander";
import { describe, expect, it } from "vitest";

import { registerInit } from "../../../../src/cli/project/init.ts";
import { registerTest } from "../../../../src/cli/test/test.ts";
import { readEnvironment } from "../../../../src/config/environment.ts";
import { temporaryFolder } from "../../../support/process/temporary-folder.ts";

/** A folder with a file, and a function that runs commands in it and returns their output. */
async function folderWith(
  name: string,
  text: string,
): Promise<{ folder: string; run: (...args: string[]) => Promise<string> }> {
  const folder = await temporaryFolder();
  await writeFile(join(folder, name), text);
  const run = async (...args: string[]): Promise<string> => {
    const printed: string[] = [];
    const program = new Command().exitOverride();
    const context = {
      cwd: folder,
      environment: readEnvironment({}),
      print: (line: string) => void printed.push(line),
      say: () => undefined,
      exit: () => undefined,
    };
    for (const register of [registerInit, registerTest]) register(program, context);
    await program.parseAsync(args, { from: "user" });
    return printed.join("\n");
  };
  return { folder, run };
}

describe("the tests that sluice init writes", () => {
  it("pass, and hold no value of the source", async () => {
    const { folder, run } = await folderWith(
      "people.csv",
      "id,Full Name,mail,since,active,score,seen\n" +
        "p-77,Ada Byron,ada@byron.example,1833-06-05,yes,7.25,1833-06-05T20:00:00Z\n",
    );
    await run("init", "people.csv", "--stream", "contact", "--email", "mail");
    expect(await run("test")).toBe("ok    tests/people.yaml: 2 cases");
    const text = await readFile(join(folder, "tests/people.yaml"), "utf8");
    expect(text.slice(text.indexOf("sync:"))).toBe(`sync: people
cases:
  - name: a row that has everything
    row:
      id: 1001
      mail: ada@acme.example
      Full Name: Acme
      since: 2026-01-31
      active: true
      score: 12.5
      seen: 2026-01-31T08:30:00Z
    record:
      contact_id: "1001"
      email: ada@acme.example
      contact_properties:
        Full Name: Acme
        since: 2026-01-31
        active: true
        score: 12.5
        seen: 2026-01-31T08:30:00Z

  - name: a row without its key
    row:
      id: ""
      mail: ada@acme.example
      Full Name: Acme
      since: 2026-01-31
      active: true
      score: 12.5
      seen: 2026-01-31T08:30:00Z
    reject: { code: required, field: contact_id }
`);
  });

  it("pass with columns of any name, also where the key is the address", async () => {
    const odd = '"Record: ID","Domain","${HOME}: x","#","a.b"\n1,a.example,b,c,d\n';
    const { run } = await folderWith("odd.csv", odd);
    await run("init", "odd.csv", "--id", "Domain", "--domain", "Domain");
    expect(await run("test")).toBe("ok    tests/odd.yaml: 2 cases");
  });

  it("are not written over those that are there", async () => {
    const { folder, run } = await folderWith("a.csv", "id,domain\n1,a.example\n");
    await mkdir(join(folder, "tests"));
    await writeFile(join(folder, "tests/a.yaml"), "mine");
    await expect(run("init", "a.csv")).rejects.toThrow("tests/a.yaml is here already");
    expect(await readFile(join(folder, "tests/a.yaml"), "utf8")).toBe("mine");
    await expect(readFile(join(folder, "sluice.yaml"))).rejects.toThrow("ENOENT");
  });
});
