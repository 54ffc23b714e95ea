import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { Command } from "commander";
import { describe, expect, it } from "vitest";

import { registerConnector } from "../../../../src/cli/connector/connector.ts";
import type { Context } from "../../../../src/cli/output/context.ts";
import { exitCodeOfError, exitCodes } from "../../../../src/cli/output/exit-code.ts";
import { readEnvironment } from "../../../../src/config/environment.ts";
import { messageOf } from "../../../../src/errors.ts";
import { temporaryFolder } from "../../../support/process/temporary-folder.ts";

/** Runs `sluice connector new …` in a folder. Returns its output. */
async function runNew(
  cwd: string,
  ...args: readonly string[]
): Promise<{ readonly printed: string; readonly said: string }> {
  const [printed, said]: [string[], string[]] = [[], []];
  const context: Context = {
    cwd,
    environment: readEnvironment({}),
    print: (text) => void printed.push(text),
    say: (text) => void said.push(text),
    exit: () => undefined,
  };
  const program = new Command().exitOverride();
  registerConnector(program, context);
  await program.parseAsync(["connector", "new", ...args], { from: "user" });
  return { printed: printed.join("\n"), said: said.join("\n") };
}

async function refusal(cwd: string, ...args: readonly string[]): Promise<readonly unknown[]> {
  const error: unknown = await runNew(cwd, ...args).then(
    () => "it did not fail",
    (thrown: unknown) => thrown,
  );
  return [exitCodeOfError(error), messageOf(error)];
}

async function textsIn(folder: string): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  for (const name of await readdir(folder)) {
    texts.set(name, await readFile(join(folder, name), "utf8"));
  }
  return texts;
}

const whole = ["config.ts", "index.test.ts", "README.md"];

const kinds = [
  { kind: "pull", options: [], own: [], files: 3 },
  { kind: "push", options: ["--push"], own: [], files: 3 },
  { kind: "full pull", options: ["--full"], own: [...whole, "read.ts"], files: 12 },
  { kind: "full push", options: ["--push", "--full"], own: [...whole, "receive.ts"], files: 7 },
] as const;

describe("sluice connector new", () => {
  it.each(kinds)("writes a $kind connector of that name", async ({ options, own, files }) => {
    const cwd = await temporaryFolder();
    const { printed, said } = await runNew(cwd, "acme-crm", ...options);
    expect(printed).toBe(
      [
        "Next:",
        "  sluice connector dev ./acme-crm",
        "  sluice connector test ./acme-crm",
        '  write "connector: ./acme-crm" under a connection of sluice.yaml',
      ].join("\n"),
    );
    const texts = await textsIn(join(cwd, "acme-crm"));
    const names = [...texts.keys()];
    expect(names).toEqual(
      expect.arrayContaining(["index.ts", ...own, "harness.ts", "package.json"]),
    );
    expect(names).toHaveLength(files);
    for (const name of names) expect(said).toContain(name);
    expect(texts.get("index.ts")).toContain('name: "acme-crm"');
    const all = [...texts.values()].join("\n");
    expect(all).not.toContain("connector-name");
    const imported = [...all.matchAll(/ from "([^."][^"]*)"/g)].map(([, from = ""]) => from);
    const foreign = imported.filter((from) => !/^(?:node:|sluice\/|zod$)/.test(from));
    expect(foreign).toEqual([]);
  });

  it.each(kinds)("writes files for $kind that are read on one screen", async ({ options }) => {
    const cwd = await temporaryFolder();
    await runNew(cwd, "demo", ...options);
    const texts = await textsIn(join(cwd, "demo"));
    const long = [...texts].filter(([, text]) => text.split("\n").length > 80);
    expect(long.map(([name]) => name)).toEqual([]);
  });

  it("writes a package.json only where files are no modules", async () => {
    const cwd = await temporaryFolder();
    await runNew(cwd, "alone");
    const own = await readFile(join(cwd, "alone/package.json"), "utf8");
    expect(JSON.parse(own)).toEqual({ private: true, type: "module" });
    for (const [type, isWritten] of [
      ["module", false],
      ["commonjs", true],
    ] as const) {
      await mkdir(join(cwd, type));
      await writeFile(join(cwd, type, "package.json"), JSON.stringify({ type }));
      await runNew(cwd, "inside", "--dir", `${type}/deep/down`);
      const names = await readdir(join(cwd, type, "deep/down/inside"));
      expect(names.includes("package.json")).toBe(isWritten);
    }
  });

  it("names the folder that --dir puts it in", async () => {
    const cwd = await temporaryFolder();
    const { printed } = await runNew(cwd, "demo", "--dir", "sources");
    expect(printed).toContain("sluice connector test ./sources/demo");
  });

  it("writes a harness for a connector that has none, with the members of its configuration", async () => {
    const cwd = await temporaryFolder();
    await runNew(cwd, "demo");
    const harness = join(cwd, "demo/harness.ts");
    const first = await readFile(harness, "utf8");
    expect(await refusal(cwd, "./demo", "--harness")).toEqual([
      exitCodes.usage,
      "./demo/harness.ts is there already, and was left as it is",
    ]);
    await rm(harness);
    const { printed, said } = await runNew(cwd, "demo", "--harness");
    expect(said).toBe("wrote ./demo/harness.ts: have it fill your source, and set its `config`");
    expect(printed).toBe("Next:\n  sluice connector test ./demo");
    expect(await readFile(harness, "utf8")).toBe(first);
    expect(await refusal(cwd, "none", "--harness")).toEqual([
      exitCodes.usage,
      expect.stringContaining("there is no file") as unknown,
    ]);

    await writeFile(
      join(cwd, "feed.ts"),
      `import { pullSource } from "sluice/connector";
       import { z } from "zod";
       const kind = z.enum(["rss", "atom"]);
       const all = z.boolean().default(true);
       const config = z.strictObject({ url: z.string(), "feed-id": z.int(), kind, all });
       export const feed = pullSource({ name: "feed", config, position: z.object({}), read: async function* () {} });`,
    );
    await runNew(cwd, "feed.ts", "--harness");
    expect(await readFile(join(cwd, "harness.ts"), "utf8")).toContain(
      'config: { url: `http://127.0.0.1:${port}`, "feed-id": 1, kind: "rss" },',
    );
  });

  it.each(["Demo", "acme_crm", "-x", "x-", "a--b", "7up", "../x", "a/b", ""])(
    "refuses the name %j",
    async (name) => {
      const cwd = await temporaryFolder();
      expect(await refusal(cwd, "--", name)).toEqual([
        exitCodes.usage,
        `"${name}" is not a name for a connector`,
      ]);
      expect(await readdir(cwd)).toEqual([]);
    },
  );

  it("leaves what is there already as it is", async () => {
    const cwd = await temporaryFolder();
    await mkdir(join(cwd, "demo"));
    await writeFile(join(cwd, "demo/read.ts"), "mine");
    await writeFile(join(cwd, "file"), "mine");
    expect(await refusal(cwd, "demo")).toEqual([
      exitCodes.usage,
      "./demo is there already, and was left as it is",
    ]);
    expect(await refusal(cwd, "file")).toEqual([
      exitCodes.usage,
      "./file is there already, and was left as it is",
    ]);
    expect(await textsIn(join(cwd, "demo"))).toEqual(new Map([["read.ts", "mine"]]));
  });
});
