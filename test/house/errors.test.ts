import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { otherFailures } from "../../src/failure-types.ts";
import {
  rejectCodes,
  sourceRejectCodes,
  type RejectCodeText,
} from "../../src/records/reject-codes.ts";

const root = join(import.meta.dirname, "../..");
const source = readFileSync(join(root, "src/errors.ts"), "utf8");

/** A class of `src/errors.ts`, as in its source. */
type ErrorClass = {
  readonly name: string;
  readonly code: string;
  readonly meaning: string;
  /** The advice of the first class with its code. */
  readonly advice: string | undefined;
  readonly retryable: boolean;
};

/** One line of a docstring's text. */
function plain(docstring: string): string {
  return docstring.replace(/\n \* ?/g, " ").trim();
}

const classes: readonly ErrorClass[] = [
  ...source.matchAll(
    new RegExp(
      String.raw`/\*\*((?:(?!\*/)[\s\S])*)\*/\nexport class (\w+) extends (\w+) \{\n` +
        String.raw` {2}readonly code = "(\w+)";\n(?: {2}(?:override )?readonly retryable = (\w+))?`,
      "g",
    ),
  ),
].map(([, docstring = "", name = "", parent = "", code = "", retryable]) => {
  const [meaning = "", advice] = plain(docstring).split(/ +To do: /);
  return {
    name,
    code,
    meaning: meaning.replace(/^Thrown (?=when|on|for)/, ""),
    advice,
    retryable: parent === "TransientError" || retryable === "true",
  };
});

function adviceOn(code: string): string[] {
  return classes.flatMap((each) =>
    each.code === code && each.advice !== undefined ? [each.advice] : [],
  );
}

function sectionOf(code: string): string[] {
  const of = classes.filter((each) => each.code === code);
  return [
    `### ${code}`,
    "",
    ...of.map(({ meaning }) => `- ${meaning.replace(/^./, (first) => first.toUpperCase())}`),
    "",
    `Retried: ${of.some(({ retryable }) => retryable) ? "yes" : "no"}. What to do: ${adviceOn(code).join(" ")}`,
    "",
  ];
}

function sectionsOf(codes: Readonly<Record<string, RejectCodeText>>): string[] {
  return Object.entries(codes).flatMap(([code, { meaning, advice }]) => {
    const sentence = meaning.replace(/^./, (first) => first.toUpperCase());
    return [`### ${code}`, "", `${sentence}. ${advice}`, ""];
  });
}

const codes = [...new Set(classes.map(({ code }) => code))].toSorted();

const page = [
  "# Errors and reject codes",
  "",
  "What each code means, and what to do. `npm run docs` makes this page; a test compares it with the code.",
  "",
  "## Errors",
  "",
  'The `code` of an error with `--json`, and the type of a failure in Temporal. "Retried" says ' +
    "whether Temporal tries the",
  "activity again by itself. The hint of an error says what to do about this very case.",
  "",
  ...codes.flatMap(sectionOf),
  ...sectionsOf(otherFailures),
  "## Reject codes",
  "",
  "Why a row or record was not sent; [rejects](rejects.md) says how to look at them and how to replay them.",
  "",
  ...sectionsOf(rejectCodes),
  "## Codes of sources",
  "",
  "A connector gives these to what it could not read as a row. A connector of your own may bring others.",
  "",
  ...sectionsOf(sourceRejectCodes),
].join("\n");

describe("docs/errors.md", () => {
  it("is what the code says: else run `npm run docs`", async () => {
    await expect(page).toMatchFileSnapshot(join(root, "docs/errors.md"));
  });

  it("finds every class of error", () => {
    const declared = [...source.matchAll(/^export class (\w+)/gm)].map(([, name]) => name);
    expect(classes.map(({ name }) => name)).toEqual(declared);
  });

  it("says what to do about every code, once", () => {
    expect(codes.filter((code) => adviceOn(code).length !== 1)).toEqual([]);
  });

  it("names only codes that a source gives", () => {
    const text = ["connectors", "src/pipeline"].flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
        .map(({ parentPath, name }) => readFileSync(join(parentPath, name), "utf8")),
    );
    const given = Object.keys(sourceRejectCodes).filter((code) =>
      text.some((each) => each.includes(`"${code}"`)),
    );
    expect(given).toEqual(Object.keys(sourceRejectCodes));
  });
});
