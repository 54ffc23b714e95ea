import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { describe, expect, it } from "vitest";

import { outside } from "./patterns.ts";

const root = join(import.meta.dirname, "../..");
const folders = ["src", "activities", "workflows", "connectors", "testing", "test", "bench"];
const tops = [...folders, "prove", "tools", "docs", "examples", "templates", "bin"];
const read = (path: string): string => readFileSync(join(root, path), "utf8");

const paths = [...folders, "prove", "tools"].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(?:ts|mjs)$/.test(name) && !/node_modules|fixtures|node24/.test(name))
    .map((name) => join(folder, name)),
);

const cited = new RegExp(
  `(?<![\\w./*{<-])((?:\\.\\./|(?:${tops.join("|")})/)[\\w./-]*\\.(?:md|ts|mjs|json|yml))(?:#([\\w-]+))?`,
  "g",
);

function commentsIn(path: string): string[] {
  return read(path)
    .split("\n")
    .flatMap((line) => /^\s*(?:\/\/|\/\*\*|\*)(.*)|\s\/\/ (.*)/.exec(line)?.slice(1) ?? [])
    .filter((text) => text !== undefined);
}

/** The anchors of a page's headings. */
function anchorsOf(page: string): string[] {
  return [...read(page).matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) =>
    title
      .toLowerCase()
      .replaceAll(" ", "-")
      .replace(/[^\w-]/g, ""),
  );
}

/** Whether a comment in `path` may cite this: a path from the root or upwards, with a heading. */
function isThere(path: string, target: string, anchor: string | undefined): boolean {
  const from = target.startsWith(".") ? join(dirname(path), target) : target;
  if (!existsSync(join(root, from))) return false;
  return anchor === undefined || anchorsOf(from).includes(anchor);
}

describe("comments", () => {
  it("cite nothing that is not in the repository", () => {
    const found = paths.flatMap((path) =>
      commentsIn(path)
        .filter((text) => outside.test(text))
        .map((text) => `${path}: ${text}`),
    );
    expect(found).toEqual([]);
  });

  it("cite files and headings that exist", () => {
    const all = paths.flatMap((path) =>
      commentsIn(path).flatMap((text) =>
        [...text.matchAll(cited)].map(([name, target = "", anchor]) => ({
          name: `${path}: ${name}`,
          isThere: isThere(path, target, anchor),
        })),
      ),
    );
    expect(all.length).toBeGreaterThan(40);
    expect(all.filter((each) => !each.isThere)).toEqual([]);
  });
});

describe("the number of a threat or promise in a test's title", () => {
  it("is on the page of facts", () => {
    const known = new Set([
      ...[...read("docs/facts/threats.md").matchAll(/^## (T\d+)$/gm)].map(([, id]) => id),
      ...[...read("docs/facts/faults.md").matchAll(/^\| (P\d+) /gm)].map(([, id]) => id),
    ]);
    const used = paths.flatMap((path) =>
      [...read(path).matchAll(/\(([TP]\d+)\)/g)].map(([, id]) => id),
    );
    expect(used.length).toBeGreaterThan(40);
    expect(used.filter((id) => !known.has(id))).toEqual([]);
  });
});
