import { readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";

import { expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const folders = ["src", "activities", "workflows", "connectors", "testing", "templates", "docs"];

/** Words that others know by another name, which docs/words.md has. */
const retired = new RegExp(
  [
    "doorbell|turnstile|untold|hangUp\\b|bearFaults|\\bborne\\b|answerBell|passingError|shutBecause",
    "patiently|drawStage|placeRun|specimen|\\bzoo\\b|nominalTime|outsideName|allow_echo|auto_below",
    "host_gone|credits_retry\\b|walks_max|rate-limit reopen|sluice budget",
  ].join("|"),
  "i",
);

/** The same as whole words or parts of an identifier; the columns of older stores keep theirs. */
const replaced = new RegExp(
  [
    String.raw`\b(?:gate|ticket|lapse|horizon|fate|sweep|ring|bell)s?\b|\bstanding\b(?! before)`,
    String.raw`\b(?:gate|ticket|lapse|standing|horizon|fate|sweep|ring|bell)(?=[A-Z])`,
    "[a-z](?:Gate|Ticket|Lapse|Standing|Horizon|Fate|Sweep|Ring|Bell)s?(?![a-z])",
  ].join("|"),
);

/** What older stores are read by. */
const migrations = /^src\/state\/sqlite\/migrations\//;

/** Habits of another language's order. */
const habits = new RegExp(
  [
    String.raw`\b(?:posted to|goes on|is none of|are none of|spoken for|and its kin|of outside)\b`,
    String.raw`\bmend(?:s|ed|ing)?\b|\b(?:stands|lies) (?:in|at|beside|behind|on)\b`,
  ].join("|"),
  "i",
);

const files = folders.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(?:ts|md)$/.test(entry.name))
    .map(({ parentPath, name }) => relative(root, join(parentPath, name)))
    // What was measured is quoted as it was printed; the glossary has the old words.
    .filter((file) => !file.startsWith("docs/proof/") && file !== "docs/words.md"),
);

it.each([
  ["a word of its own where the field has one", retired],
  ["a word that was replaced", replaced],
  ["a habit of another language", habits],
])("nobody reads %s", (_what, pattern) => {
  const read = [...files, "README.md", "CONTRIBUTING.md"].filter(
    (file) => pattern !== replaced || !migrations.test(file),
  );
  const found = read.flatMap((file) =>
    readFileSync(join(root, file), "utf8")
      .split("\n")
      .flatMap((line, index) => {
        const [hit] = pattern.exec(line) ?? [];
        return hit === undefined ? [] : [`${file}:${index + 1}: ${hit}`];
      }),
  );
  expect(found).toEqual([]);
});
