import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";

import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";

import { sources } from "../../connectors/registry.ts";
import { exitCodes } from "../../src/cli/output/exit-code.ts";
import { configJsonSchema } from "../../src/config/schema/json-schema.ts";
import * as limits from "../../src/limits.ts";
import { coercionNames } from "../../src/mapping/coerce.ts";
import { outcomes } from "../../src/state/contract/runs/runs.ts";
import { codeIn, spanOf, tableUnder } from "./markdown.ts";

const root = resolve(import.meta.dirname, "../..");
const read = (name: string): string => readFileSync(join(root, name), "utf8");
const readme = read("README.md");
const tour = read("docs/tour.md");
const reference = read("docs/reference.md");
const documents = [
  "README.md",
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  ...readdirSync(join(root, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => join("docs", name)),
  ...readdirSync(join(root, "examples")).map((name) => join("examples", name, "README.md")),
];

/** The output of a command in a folder with these files. */
async function sluiceWith(
  args: readonly string[],
  files: Readonly<Record<string, string>>,
): Promise<{ readonly output: string; readonly status: number | null }> {
  const folder = await mkdtemp(join(tmpdir(), "sluice-readme-"));
  onTestFinished(async () => await rm(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const { PATH, HOME } = process.env;
  const CRM_DATABASE_URL = "postgres://reader@127.0.0.1/crm";
  const SLACK_WEBHOOK_URL = "https://hooks.example.com/services/x";
  const FORMS_SECRET = "a-secret-of-the-readme";
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [join(root, "bin/sluice.js"), ...args],
    {
      cwd: folder,
      env: { PATH, HOME, CRM_DATABASE_URL, SLACK_WEBHOOK_URL, FORMS_SECRET },
      encoding: "utf8",
    },
  );
  return { output: stdout + stderr, status };
}

/** Commands named in code: with the second word if the first has verbs of its own. */
function commandsIn(text: string, groups: ReadonlySet<string>): string[] {
  return codeIn(text).flatMap((code) =>
    [...code.matchAll(/(?<![\w.:-])sluice(?:\.js)? ([a-z][a-z-]*)(?: ([a-z]+))?/g)].flatMap(
      ([, verb = "", second]) => {
        if (!groups.has(verb)) return [verb];
        return second === undefined ? [] : [`${verb} ${second}`];
      },
    ),
  );
}

describe("the commands in the documents", () => {
  // A test of its own compares the page with the program.
  const sections = read("docs/commands.md").matchAll(/^### `sluice ([a-z-]+)(?: ([a-z]+))?/gm);
  const there = [...sections].map(([, verb = "", second]) =>
    second === undefined ? verb : `${verb} ${second}`,
  );
  const groups = new Set(
    there.filter((name) => name.includes(" ")).map((name) => name.split(" ")[0] ?? ""),
  );

  it.each(documents)("exist: %s", (name) => {
    const unknown = commandsIn(read(name), groups).filter((command) => !there.includes(command));
    expect(unknown).toEqual([]);
  });

  it("are found by this test", () => {
    expect(
      commandsIn("`sluice rate-limit blocked`\n\n    node bin/sluice.js rum x", groups),
    ).toEqual(["rate-limit blocked", "rum"]);
  });

  it("have npm scripts where npm runs them", () => {
    const { scripts } = z
      .looseObject({ scripts: z.record(z.string(), z.string()) })
      .parse(JSON.parse(read("package.json")));
    const named = documents.flatMap((name) =>
      codeIn(read(name)).flatMap((code) =>
        [...code.matchAll(/npm run ([\w:]+)/g)].map(([, script]) => script ?? ""),
      ),
    );
    expect(named.length).toBeGreaterThan(4);
    expect(named.filter((script) => scripts[script] === undefined)).toEqual([]);
  });
});

const folders = "src|workflows|activities|connectors|test|tools|bench|examples|docs|bin|\\.ci";

/** Paths of this repository in a document: in code, relative to the root; in links, relative to the document. */
function pathsIn(name: string): string[] {
  const text = read(name);
  const inCode = codeIn(text).flatMap((code) =>
    [...code.matchAll(new RegExp(`(?<![\\w./-])(?:${folders})/[\\w./-]*`, "g"))].map(
      ([path]) => path,
    ),
  );
  const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, target = ""]) =>
    relative(root, resolve(root, dirname(name), target)),
  );
  return [...inCode, ...links];
}

describe("the paths in the documents", () => {
  it.each(documents)("exist: %s", (name) => {
    expect(pathsIn(name).filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  it("are found by this test", () => {
    expect(pathsIn("README.md")).toEqual(
      expect.arrayContaining(["src/pipeline/lines.ts", "docs/configuration.md", "LICENSE"]),
    );
  });
});

type Schema = z.core.JSONSchema.JSONSchema;

type Member = { readonly path: string; readonly isRequired: boolean; readonly default: unknown };

/** All members that a JSON Schema names, by their paths; members with free names as `<name>`. */
function membersOf(schema: Schema | boolean, path = ""): Member[] {
  if (typeof schema === "boolean") return [];
  const { properties = {}, additionalProperties = false, required = [] } = schema;
  const free = additionalProperties === false ? {} : { "<name>": additionalProperties };
  const members = Object.entries({ ...properties, ...free }).flatMap(([name, member]) => {
    const at = path === "" ? name : `${path}.${name}`;
    const value = typeof member === "boolean" ? undefined : member.default;
    const own = { path: at, isRequired: required.includes(name), default: value };
    return [own, ...membersOf(member, at)];
  });
  const ways = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  return [...members, ...ways.flatMap((way) => membersOf(way, path))];
}

/** Members that are in many places are described once, under the name in the second column. */
const describedOnce: readonly (readonly [RegExp, string])[] = [
  [/^syncs\.<name>\.from\.(?!connection$)(.+)$/, "connections.<name>"],
  [/^pulls\.<name>\.write_back\.(?!connection$|(?:key|set)\b)(.+)$/, "connections.<name>"],
  [
    /^pulls\.<name>\.job_postings\.domains_from\.(?!(?:connection|column)$)(.+)$/,
    "connections.<name>",
  ],
  [/^pulls\.<name>\.(?:accounts|persons|job_postings)\.(?!domains_from\b)(.+)$/, "<query>"],
  [/^pulls\.<name>\.((?:reject_limit|schedule)\..+)$/, "syncs.<name>"],
  [/^syncs\.<name>\.record\.(?:\w+_properties\.<name>|(?!\w+_properties)\w+)\.(\w+)$/, "<rule>"],
];

function describedAs(path: string): string {
  for (const [pattern, under] of describedOnce) {
    const member = pattern.exec(path)?.[1];
    if (member !== undefined) return `${under}.${member}`;
  }
  return path;
}

describe("docs/configuration.md and docs/mapping.md", () => {
  const schema = configJsonSchema(sources);
  const members = new Map(membersOf(schema).map((member) => [describedAs(member.path), member]));
  const defaultOf = (path: string): string | undefined => {
    const value = members.get(path)?.default;
    return ["string", "number", "boolean"].includes(typeof value) ? String(value) : undefined;
  };
  const described = [
    ...`${read("docs/configuration.md")}${read("docs/mapping.md")}`.matchAll(
      /^\| `([\w.<>]+)` +\| ([^|]+?) +\|/gm,
    ),
  ]
    .map(([, path = "", given = ""]) => ({ path, given }))
    // The other tables of the page list streams and conversions.
    .filter(({ path }) => /[.<]/.test(path) || Object.hasOwn(schema.properties ?? {}, path));

  it("describes every member of the JSON Schema once, and no other", () => {
    expect(described.map(({ path }) => path).toSorted()).toEqual([...members.keys()].toSorted());
  });

  it("gives the default of each", () => {
    const wrong = described.filter(({ path, given }) => spanOf(given) !== defaultOf(path));
    expect(wrong).toEqual([]);
  });

  it("says which are required", () => {
    const required = described.filter(({ given }) => given === "required").map(({ path }) => path);
    const asked = [...members].filter(([, { isRequired }]) => isRequired).map(([path]) => path);
    expect(required.toSorted()).toEqual(asked.toSorted());
  });

  it("names every conversion", () => {
    expect(tableUnder(read("docs/mapping.md"), "`as`").map(([cell]) => spanOf(cell))).toEqual([
      ...coercionNames,
    ]);
  });

  it("is what docs/reference.md takes its members and defaults from", () => {
    const shown = tableUnder(reference, "member").flatMap(([paths = "", given]) =>
      [...paths.matchAll(/`([^`]+)`/g)].map(([, path = ""]) => ({ path, given: spanOf(given) })),
    );
    expect(shown.length).toBeGreaterThan(10);
    const unknown = shown.filter(({ path }) => !members.has(path));
    const wrong = shown.filter(
      ({ path, given }) => given !== undefined && given !== defaultOf(path),
    );
    expect([...unknown, ...wrong]).toEqual([]);
  });
});

describe("the README, the tour and the reference", () => {
  it("gives every limit as it is", () => {
    const values: Readonly<Record<string, number>> = limits;
    const table = tableUnder(reference, "limit");
    expect(table.length).toBeGreaterThan(10);
    const wrong = table.filter(([, value = "", name]) => {
      const stated = Number(/^[\d,]+/.exec(value)?.[0].replaceAll(",", ""));
      return values[spanOf(name) ?? ""] !== stated;
    });
    expect(wrong).toEqual([]);
  });

  it("explains every exit code", () => {
    const codes = tableUnder(reference, "code").map(([code]) => Number(code));
    expect(codes).toEqual(Object.values(exitCodes).toSorted((a, b) => a - b));
  });

  it("names every outcome", () => {
    const [, section = ""] = reference.split("### Outcomes");
    const [text = ""] = section.split("\n## ");
    const named = [...text.matchAll(/`([a-z_]+)`/g)].map(([, name = ""]) => name);
    expect(named.toSorted()).toEqual([...outcomes].toSorted());
  });

  it("names no variable of ours that nothing reads", () => {
    const readers = ["src/config", "bin"].flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => readFileSync(join(parentPath, name), "utf8")),
    );
    const known = [
      ...readers,
      read("docker-compose.yml"),
      read("examples/csv-to-accounts/sluice.yaml"),
    ].join();
    const named = [...documents, ".env.example"].flatMap(
      (name) => read(name).match(/\bSLUICE_[A-Z_]+/g) ?? [],
    );
    expect([...new Set(named)].filter((name) => !known.includes(name))).toEqual([]);
  });

  it("is read in one go: the README has few lines, and none that runs on", () => {
    const lines = readme.split("\n");
    expect(lines.length).toBeLessThanOrEqual(220);
    expect(lines.filter((line) => line.length > 160)).toEqual([]);
  });

  it("shows parts of a configuration that are right together", async () => {
    const [whole = "", nightly = "", events = "", pulls = "", ...others] = [
      ...`${readme}${tour}`.matchAll(/```yaml\n(.*?)```/gs),
    ].map(([, yaml = ""]) => yaml);
    expect(others).toEqual([]);
    const [head = ""] = whole.split("connections:");
    for (const [yaml, names] of [
      [nightly + pulls, "connections crm; syncs accounts; pulls account_scores"],
      [events, "connections forms; syncs contacts"],
    ]) {
      const { output, status } = await sluiceWith(["validate"], {
        "sluice.yaml": `${head}${yaml}`,
      });
      expect(output).toContain(`is fine: ${names}`);
      expect(status).toBe(exitCodes.done);
    }
  });
});
