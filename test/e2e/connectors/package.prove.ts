import { execFileSync, spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { version } from "../../../src/version.ts";
import { installPackage } from "../../support/process/installed-package.ts";

const root = resolve(import.meta.dirname, "../../..");

const connector = `import {
  ConfigError, pullSource, pushSource, RetryLater, secret, type Incoming, type Row,
} from "sluice/connector";
import { conform } from "sluice/testing";
import { z } from "zod";

export const mine = pullSource({
  name: "mine",
  config: z.strictObject({ token: secret(), rows: z.int() }),
  position: z.strictObject({ seq: z.int() }),
  async *read({ config, from, signal, pageRowsMax }) {
    if (config.token.reveal() === "") throw new ConfigError("no token", { field: "token" });
    signal.throwIfAborted();
    const seq = (from?.seq ?? 0) + pageRowsMax;
    if (seq > config.rows) throw new RetryLater("not yet", { afterMs: 1_000 });
    const rows: Row[] = [{ seq }];
    yield { rows, position: { seq }, where: (index) => \`mine#\${index}\` };
  },
});

export const pushed = pushSource({
  name: "pushed",
  config: z.strictObject({ path: z.string() }),
  endpoint: ({ path }) => ({ path, bodyBytesMax: 1, backlogMax: 1, lingerMs: 0, retentionMs: 1 }),
  receive: ({ request }) => ({ events: [{ json: textOf(request) }] }),
});

function textOf({ body }: Incoming): string {
  return body.toString("utf8");
}

export const kit: "function" = typeof conform === "function" ? "function" : neverHere();

function neverHere(): never {
  throw new Error("the kit is not a function");
}
`;

let project: string;
let command: string;

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), "sluice-package-"));
  command = await installPackage(project);
  await writeFile(join(project, "package.json"), '{ "type": "module" }\n');
});

afterAll(async () => await rm(project, { recursive: true }));

/** The compiler's output for files, with its strictest settings and none that the package might need. */
function compile(...files: readonly string[]): string {
  const strict = ["--noEmit", "--strict", "--exactOptionalPropertyTypes", "--module", "nodenext"];
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const args = [tsc, "--ignoreConfig", "--pretty", "false", ...strict, ...files];
  return spawnSync(process.execPath, args, { cwd: project, encoding: "utf8" }).stdout;
}

describe("the packed package", () => {
  it("typechecks in an empty project, by both its entries", async () => {
    await writeFile(join(project, "mine.ts"), connector);
    expect(compile("mine.ts")).toBe("");
  });

  it("refuses a wrong connector by one error, at the wrong member", async () => {
    const mistakes = [
      ["position: { seq }, where", 'position: { seq: "1" }, where', "read({ config"],
      ["where: (index)", "were: (index: number)", "read({ config"],
      ["config.rows)", "config.rowz)", "rowz)"],
      ["endpoint: ({ path }) => ({ path,", "endpoint: ({ path }) => ({", "({ bodyBytesMax"],
      ['name: "pushed"', "name: 1", "name: 1"],
    ] as const;
    const texts = mistakes.map(([right, wrong]) => connector.replace(right, wrong));
    const files = texts.map((_, at) => `wrong-${at}.ts`);
    for (const [at, file] of files.entries()) await writeFile(join(project, file), texts[at] ?? "");
    const errors = compile(...files).matchAll(/^wrong-(\d)\.ts\((\d+),(\d+)\)/gm);
    const found = [...errors].map(([, at, line, column]) => {
      const shown = texts[Number(at)]?.split("\n")[Number(line) - 1]?.slice(Number(column) - 1);
      return `${at}: ${shown}`;
    });
    expect(found).toHaveLength(mistakes.length);
    for (const [at, [, , place]] of mistakes.entries()) {
      expect(found[at]).toContain(`${at}: ${place}`);
    }
  });

  it("gives Node a connector's functions and its own errors", async () => {
    await writeFile(join(project, "mine.ts"), connector);
    const script = `import { ConfigError } from "sluice/connector";
import { mine, pushed } from "./mine.ts";
const config = mine.config.parse({ token: "planted", rows: 3 });
const error = await mine.read({ config, signal: AbortSignal.abort("stopped"), pageRowsMax: 1 }).next().catch(String);
console.log(JSON.stringify([mine.kind, pushed.kind, config, error, new ConfigError("x").code]));
`;
    await writeFile(join(project, "use.js"), script);
    const printed = execFileSync(process.execPath, ["use.js"], { cwd: project, encoding: "utf8" });
    const config = { token: "[secret]", rows: 3 };
    expect(JSON.parse(printed)).toEqual(["pull", "push", config, "stopped", "ConfigError"]);
  });

  it("has the command, which loads a connector of the project", async () => {
    const env = { PATH: [dirname(process.execPath), process.env["PATH"]].join(delimiter) };
    const sluice = (...args: string[]): string =>
      execFileSync(command, args, { cwd: project, env, encoding: "utf8" });
    expect(sluice("--version").trim()).toBe(version);
    const only = connector.replace("export const pushed", "const pushed");
    await writeFile(join(project, "mine.ts"), only);
    await writeFile(
      join(project, "sluice.yaml"),
      `version: 1
api: { api_key: a-key }
connections: { mine: { connector: ./mine.ts, token: planted, rows: 9 } }
syncs:
  all: { from: mine, stream: account, record: { account_id: seq, domain: seq, account_properties: {} } }
`,
    );
    expect(sluice("validate")).toContain("connections mine; syncs all");
  });
});
