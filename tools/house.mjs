// node_modules/.bin/node tools/house.mjs [commit] [commit]: the measures of the house in two commits, as the table of
// docs/proof/house.md; by default 4a0c431, before the house was put in order, and HEAD.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";

import {
  exportedName,
  habits,
  migrations,
  outside,
  replaced,
  retired,
} from "../test/house/patterns.ts";

const product = ["src", "activities", "workflows", "connectors", "testing"];
const code = [...product, "test", "bench", "prove", "tools", "templates", "examples"];

/**
 * The names of one endpoint, to count the files of the product that mention it. Leaves out two files: only this
 * endpoint has a fault of its own, and counts as one operation however often it is called.
 */
const endpoint = {
  named: /\b(?:confirmUpload|createConfirmUpload|confirmUploadBody)\b|"confirm-upload"/,
  unlike: /\/(?:fault-kinds|operation)\.ts$/,
};

/** A method of the store, and a method for keys, which each database keeps in its own way. */
const [method, keyMethod] = [/\bisLockWanted\b/, /\bhasRepeats\b/];

const comment = /^\s*(?:\/\/|\/\*|\*)/;

/** Files below some folders of a tree, as paths from its root, with their lines. */
function filesIn(root, folders, name) {
  return folders.flatMap((folder) => {
    const entries = readdirSync(root).includes(folder)
      ? readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      : [];
    return entries
      .filter((entry) => entry.isFile() && name.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => !/fixtures/.test(path))
      .map((path) => ({
        path: relative(root, path),
        lines: readFileSync(path, "utf8").split("\n"),
      }));
  });
}

/** Counts files by the result of `keyOf`. */
function countsBy(files, keyOf) {
  const counts = new Map();
  for (const file of files) counts.set(keyOf(file), (counts.get(keyOf(file)) ?? 0) + 1);
  return [...counts];
}

function namesWithTwoMeanings(files) {
  const names = new Map();
  for (const { path, lines } of files) {
    for (const [, name] of lines.join("\n").matchAll(exportedName)) {
      names.set(name, (names.get(name) ?? new Set()).add(path));
    }
  }
  return [...names.values()].filter((paths) => paths.size > 1).length;
}

const sum = (files, of) => files.reduce((total, file) => total + of(file), 0);
const linesWith = (files, test) => sum(files, ({ lines }) => lines.filter(test).length);

function longestLine(files) {
  return Math.max(...files.map(({ lines }) => Math.max(...lines.map((line) => line.length))));
}

/** How many of the files use a name in their code. */
function placesOf(files, name) {
  return files.filter(({ lines }) => lines.some((line) => isCode(line) && name.test(line))).length;
}

/** Each measure of a tree with its name. */
function measures(root) {
  const ours = filesIn(root, product, /\.ts$/);
  const all = filesIn(root, code, /\.(?:ts|mjs)$/);
  const read = [...ours, ...filesIn(root, ["docs"], /\.md$/)].filter(
    ({ path }) => !path.startsWith("docs/proof/") && path !== "docs/words.md",
  );
  const [[folder, most]] = countsBy(ours, ({ path }) => dirname(path)).toSorted(
    ([, a], [, b]) => b - a,
  );
  const store = ours.filter(({ path }) => path.startsWith("src/state/"));
  const usual = ours.filter(({ path }) => !endpoint.unlike.test(path));
  return new Map([
    ["most files of a folder of the product", `${most} (\`${folder}\`)`],
    [
      "folders of the code with more than 20",
      countsBy(all, ({ path }) => dirname(path)).filter(([, count]) => count > 20).length,
    ],
    ["loose files in src", ours.filter(({ path }) => dirname(path) === "src").length],
    ["files of the product", ours.length],
    ["lines of the product, without blank ones and comments", linesWith(ours, isCode)],
    ["exported names with more than one meaning", namesWithTwoMeanings(ours)],
    ["longest line", longestLine(all)],
    ["lines of more than 120 characters", linesWith(all, (line) => line.length > 120)],
    [
      "lines with a retired word, older stores left out",
      linesWith(
        read.filter(({ path }) => !migrations.test(path)),
        hasRetired,
      ),
    ],
    ["lines with a habit of another language", linesWith(read, (line) => habits.test(line))],
    [
      "comments that cite what is not in the repository",
      linesWith(ours, (line) => comment.test(line) && outside.test(line)),
    ],
    [
      "places that a new endpoint touches, as files that name `confirmUpload`",
      placesOf(usual, endpoint.named),
    ],
    [
      "places that a new method of the store touches, as files that name `isLockWanted`",
      placesOf(store, method),
    ],
    ["the same of a method of keys, as files that name `hasRepeats`", placesOf(store, keyMethod)],
  ]);
}

function hasRetired(line) {
  return retired.test(line) || replaced.test(line);
}

function isCode(line) {
  return line.trim() !== "" && !comment.test(line);
}

/** The measures of a commit, whose tree is unpacked for them. */
function measuresAt(commit) {
  const root = mkdtempSync(join(tmpdir(), "sluice-house-"));
  try {
    const input = execFileSync("git", ["archive", commit], { maxBuffer: 1_000_000_000 });
    execFileSync("tar", ["-x", "-C", root], { input });
    return measures(root);
  } finally {
    rmSync(root, { recursive: true });
  }
}

const [before = "4a0c431", now = "HEAD"] = process.argv.slice(2);
const [then, today] = [measuresAt(before), measuresAt(now)];
const rows = [...then].map(([name, value]) => `| ${name} | ${value} | ${today.get(name)} |`);
console.log(["| what | before | now |", "| --- | --- | --- |", ...rows].join("\n"));
