import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";

import { connectorApi } from "../../../connectors/contract/version.ts";
import { version } from "../../../src/version.ts";

const root = resolve(import.meta.dirname, "../../..");
const head = `import { ConfigError, pullSource, pushSource, secret } from "sluice/connector";
import { z } from "zod";
`;

/** A connector that a module exports under this name. */
function pull(name: string, members = ""): string {
  return `export const ${name} = pullSource({
  name: "${name}",
  config: z.strictObject({ token: secret() }),
  position: z.object({ seq: z.int() }),
  async *read() { throw new ConfigError("as asked"); },
  ${members}
});
`;
}

function ofPackage(name: string, more: object = { exports: { import: "./main.js" } }): string {
  return JSON.stringify({ name, version: "9.8.7", type: "module", ...more });
}

const push = `export const pushed = pushSource({
  name: "pushed",
  config: z.strictObject({}),
  endpoint: () => ({ path: "/hooks/a", bodyBytesMax: 1, backlogMax: 1, lingerMs: 0, retentionMs: 1 }),
  receive: () => ({ events: [] }),
});
`;

/** Content by path, all of it outside this repository. */
const files: Readonly<Record<string, string>> = {
  "project/one.ts": `${head}const typed: number = 1;\n${pull("one")}export { typed };\n`,
  "project/twice-named.js": `${head}${pull("same")}export default same;\n`,
  "project/demo/index.ts": `${head}import { name } from "./name.ts";\n${pull("demo", "name,")}`,
  "project/demo/name.ts": `export const name: string = "of another file";\n`,
  "project/demo/index.js": "throw new Error('index.ts comes first');\n",
  "project/plain/index.js": `${head}${pull("plain")}`,
  "beside.ts": `${head}${pull("beside")}`,
  "project/pushed.ts": head + push,
  "project/node_modules/sluice-connector-some/package.json": ofPackage("sluice-connector-some"),
  "project/node_modules/sluice-connector-some/main.js": `${head}${pull("some")}`,
  "project/node_modules/@own/sluice-connector-any/package.json": ofPackage("any"),
  "project/node_modules/@own/sluice-connector-any/main.js": `${head}${pull("any")}`,
  // Nothing here is imported: a connector gets the running sluice.
  "project/node_modules/sluice/package.json": ofPackage("sluice", { connectorApi: 1 }),

  "project/throws/index.ts": `import "./deep.ts";\n`,
  "project/throws/deep.ts": "const fine: number = 1;\n\nthrow new Error('boom\\nand more');\n",
  "project/enum.ts": "\nexport enum Kind {\n  a,\n}\n",
  "project/missing.ts": `import "./nothing.ts";\n`,
  "project/empty.ts": "export {};\n",
  "project/others.ts": "export const one = 1;\nexport function read() {}\n",
  "project/two.ts": `${head}${pull("one")}${pull("two")}${push}`,
  "project/by-hand.ts": "export const mine = { name: 'mine', read() {} };\n",
  "project/newer.ts":
    `${head}${pull("one")}export const next = { ...one, api: { version: 2 } };\n`.replace(
      "export const one",
      "const one",
    ),
  "project/copied.ts":
    `${head}${pull("one")}export const next = { ...one, api: { version: 1 } };\n`.replace(
      "export const one",
      "const one",
    ),
  "project/not-zod.ts": `${head}${pull("mine", "config: { token: 1 },")}`,
  "project/no-position.ts": `${head}${pull("mine", "position: undefined,")}`,
  "project/text.ts": `${head}${pull("mine", "config: z.string(),")}`,
  "project/asynchronous.ts": `${head}${pull("mine", "config: z.object({}).refine(async () => true),")}`,
  "project/no-read.ts": `${head}${pull("mine", "read: undefined,")}`,
  "project/no-name.ts": `${head}${pull("mine", "name: '',")}`,
  "project/folder/readme.md": "",
  "project/extension.txt": "",
  "project/node_modules/sluice-connector-typed/package.json": ofPackage("typed", {
    exports: "./main.ts",
  }),
  "project/node_modules/sluice-connector-typed/main.ts": "export const typed: number = 1;\n",
  "project/node_modules/sluice-connector-later/package.json": ofPackage("later"),
  "project/node_modules/sluice-connector-later/main.js": `${head}${pull("later")}`,
  "project/node_modules/sluice-connector-later/node_modules/sluice/package.json": ofPackage(
    "sluice",
    { connectorApi: 2 },
  ),
};

const loaded = z.object({
  name: z.string().optional(),
  kind: z.string().optional(),
  isPush: z.boolean().optional(),
  isOurError: z.boolean().optional(),
  isSecret: z.boolean().optional(),
  isSame: z.boolean().optional(),
  error: z.string().optional(),
  message: z.string().optional(),
  hint: z.string().optional(),
});

type Loaded = z.output<typeof loaded>;

/**
 * Loads each of them, and prints the result; in a process of its own, because test runners resolve imports by their own
 * rules.
 */
const script = `
const { loadConnector } = await import(process.argv[1] + "/connectors/load/load.ts");
const { SluiceError } = await import(process.argv[1] + "/src/errors.ts");
const { Secret } = await import(process.argv[1] + "/src/security/secret.ts");
const [folder, names] = [process.argv[2], JSON.parse(process.argv[3])];
const load = (connector) => loadConnector({ connector, folder }, ["csv", "postgres"]);
const results = {};
for (const name of names) {
  try {
    const source = await load(name);
    const thrown = source.push ? undefined : await source.read({}).next().catch((error) => error);
    const config = source.config.safeParse({ token: "a" });
    results[name] = {
      name: source.name, kind: source.kind, isPush: source.push !== undefined,
      isOurError: thrown instanceof SluiceError, isSecret: config.data?.token instanceof Secret,
      isSame: source.push !== undefined || (await load(name)) === source,
    };
  } catch (error) {
    results[name] = { error: error.name, message: error.message, hint: error.hint };
  }
}
console.log(JSON.stringify(results));
`;

let folder: string;
let results: Readonly<Record<string, Loaded>>;

const good = [
  ["./one.ts", "one"],
  ["./twice-named.js", "same"],
  ["./demo", "of another file"],
  ["./demo/index.ts", "of another file"],
  ["./plain/", "plain"],
  ["../beside.ts", "beside"],
  ["sluice-connector-some", "some"],
  ["@own/sluice-connector-any", "any"],
] as const;

const hintOfMade = "export what pullSource() or pushSource() of sluice/connector made";
const hintOfVersions = "install a sluice and a connector that belong together";

const bad: readonly (readonly [name: string, message: string, hint?: string])[] = [
  ["./nothing.ts", "there is no file ./nothing.ts", "`sluice connector new <name>` writes one"],
  ["./postgre.ts", 'there is no file ./postgre.ts (did you mean "postgres"?)'],
  ["./onne.ts", 'there is no file ./onne.ts (did you mean "./one.ts"?)'],
  ["./one", 'there is no file ./one (did you mean "./one.ts"?)'],
  ["./folder", "the folder ./folder holds neither index.ts nor index.js"],
  [
    "./extension.txt",
    './extension.txt cannot be loaded: extension.txt: Unknown file extension ".txt" for <folder>/extension.txt',
  ],
  ["./throws", "./throws cannot be loaded: throws/deep.ts:3: boom"],
  [
    "./enum.ts",
    "./enum.ts cannot be loaded: enum.ts:2: TypeScript enum is not supported in strip-only mode",
    "Node strips types and nothing else: no enums, namespaces or parameter properties",
  ],
  [
    "./missing.ts",
    "./missing.ts cannot be loaded: missing.ts: Cannot find module '<folder>/nothing.ts' " +
      "imported from <folder>/missing.ts",
  ],
  ["./empty.ts", "./empty.ts exports no connector: it exports nothing", hintOfMade],
  ["./others.ts", "./others.ts exports no connector: it exports only one, read", hintOfMade],
  [
    "./two.ts",
    "./two.ts exports 3 connectors: one, pushed, two",
    "export one, and give each other one a file of its own",
  ],
  [
    "./by-hand.ts",
    "./by-hand.ts: its export mine was not made by pullSource() or pushSource()",
    hintOfMade,
  ],
  [
    "./newer.ts",
    `./newer.ts is made for version 2 of the connector interface, and this sluice ${version} has version 1`,
    hintOfVersions,
  ],
  [
    "./copied.ts",
    "./copied.ts brings a copy of sluice/connector of its own: its errors and secrets would not " +
      "be known for what they are",
    "import it from sluice/connector, and leave sluice out of its bundle",
  ],
  ["./not-zod.ts", "./not-zod.ts: the `config` of mine is not a zod schema"],
  ["./no-position.ts", "./no-position.ts: the `position` of mine is not a zod schema"],
  [
    "./text.ts",
    "./text.ts: the `config` of mine takes no members: make it a z.strictObject({ … })",
  ],
  [
    "./asynchronous.ts",
    "./asynchronous.ts: the `config` of mine cannot be asked: Encountered Promise during " +
      "synchronous parse. Use .parseAsync() instead.",
  ],
  ["./no-read.ts", "./no-read.ts: its export mine has no function `read`"],
  ["./no-name.ts", "./no-name.ts: its export mine has no `name`"],
  [
    "sluice-connector-none",
    "no package sluice-connector-none is installed for this folder",
    "install it: `npm install sluice-connector-none`",
  ],
  [
    "sluice-connector-typed",
    "sluice-connector-typed cannot be loaded: node_modules/sluice-connector-typed/package.json: " +
      "Stripping types is currently unsupported for files under node_modules, for " +
      '"<url>/node_modules/sluice-connector-typed/main.ts"',
    "a package holds JavaScript: Node strips no types below node_modules",
  ],
  [
    "sluice-connector-later",
    "sluice-connector-later is made for version 2 (sluice 9.8.7) of the connector interface, and " +
      `this sluice ${version} has version 1`,
    hintOfVersions,
  ],
  [
    "cvs",
    'no connector has the name "cvs" (did you mean "csv"?)',
    "there are csv, postgres; a path begins with ./, and a package is called sluice-connector-*",
  ],
];

beforeAll(async () => {
  const made = await realpath(await mkdtemp(join(tmpdir(), "sluice-load-")));
  folder = join(made, "project");
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(made, name)), { recursive: true });
    await writeFile(join(made, name), text);
  }
  // beside.ts finds none, and gets ours.
  await symlink(join(root, "node_modules/zod"), join(folder, "node_modules/zod"));
  const names = [...good, ...bad].map(([name]) => name);
  const asked = JSON.stringify([...names, join(folder, "one.ts"), "./pushed.ts"]);
  const args = ["--input-type=module", "--eval", script, root, folder, asked];
  const printed = execFileSync(process.execPath, args, { encoding: "utf8" });
  results = z.record(z.string(), loaded).parse(JSON.parse(printed));
});

afterAll(async () => await rm(dirname(folder), { recursive: true }));

describe("loadConnector", () => {
  const sound = { kind: "pull", isPush: false, isOurError: true, isSecret: true, isSame: true };

  it.each(good)("loads %s, whose errors and secrets are ours", (connector, name) => {
    expect(results[connector]).toEqual({ name, ...sound });
  });

  it("loads one by its absolute path", () => {
    expect(results[join(folder, "one.ts")]).toEqual({ name: "one", ...sound });
  });

  it("makes one that is pushed to readable from the inbox", () => {
    expect(results["./pushed.ts"]).toMatchObject({ name: "pushed", kind: "pull", isPush: true });
  });

  const mistakes = bad.map(([connector, message, hint]) => ({ connector, message, hint }));

  it.each(mistakes)("says what is wrong with $connector", ({ connector, message, hint }) => {
    const written = message
      .replaceAll("<folder>", folder)
      .replaceAll("<url>", pathToFileURL(folder).href);
    expect({ hint: undefined, ...results[connector] }).toEqual({
      error: "ConfigError",
      message: written,
      hint,
    });
  });
});

describe("connectorApi", () => {
  it("is the version that package.json tells other copies", () => {
    const manifest: unknown = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    expect(manifest).toMatchObject({ connectorApi: connectorApi.version });
  });
});
