import { membersOf } from "../../config/schema/members.ts";
import { yamlLine } from "../../sync-tests/edit-yaml.ts";
import type { TestFile } from "../../sync-tests/load.ts";
import type { CaseDifference } from "../../sync-tests/run.ts";
import { plainText } from "../../text/plain-text.ts";
import { expectedMark, givenMark } from "../output/style.ts";

/** Two lines: what a test expects, with the line number in its file, and below it what the mapping gives. */
export function differenceLines(file: TestFile, difference: CaseDifference): readonly string[] {
  const { at, path, row, expected, actual } = difference;
  const of = row === undefined ? "" : `row ${row}: `;
  const shown = path.length > 0 ? path : Object.keys(membersOf(expected)).slice(0, 1);
  const place = `line ${file.lineOf([...at, ...shown])}  `;
  const [wanted, given] = [expected, actual].map((value) => `${of}${memberText(path, value)}`);
  const why = whyText(file, difference);
  return [
    `${place}${expectedMark(`- ${wanted}`)}`,
    `${" ".repeat(place.length)}${givenMark(`+ ${given}`)}${why === undefined ? "" : `  (${plainText(why)})`}`,
  ];
}

function memberText(path: CaseDifference["path"], value: unknown): string {
  if (path.length === 0) return outcomeText(value);
  // The fields of a record are named without `record`.
  const name = plainText(path.slice(1).map(String).join("."));
  return `${name}: ${value === undefined ? "(nothing)" : plainText(yamlLine(value))}`;
}

function outcomeText(value: unknown): string {
  if (value === undefined) return "(no row)";
  const [member] = Object.entries(membersOf(value));
  return member === undefined
    ? "(nothing is expected)"
    : `${member[0]}: ${plainText(yamlLine(member[1]))}`;
}

function whyText(
  file: TestFile,
  { at, path, expected, actual, why }: CaseDifference,
): string | undefined {
  // YAML reads 007 as the number 7.
  const isUnquoted = typeof expected !== "string" && actual === file.writtenAt([...at, ...path]);
  return isUnquoted && actual !== undefined ? "it is text: write it in quotes" : why;
}
