import { dirname, resolve } from "node:path";

import type { SyncConfig } from "../config/config.ts";
import {
  parseConfigDocument,
  type ConfigDocument,
  type Path,
} from "../config/document/document.ts";
import type { FoundFile } from "../config/document/find.ts";
import { didYouMean } from "../config/messages/did-you-mean.ts";
import { checkData, problemsAt, type Mistake } from "../config/messages/mistakes.ts";
import { configError, lineAt } from "../config/messages/problems.ts";
import type { Row } from "../records/streams.ts";
import type { Expectation } from "./outcome.ts";
import { rowMistakes, rowOf, type WrittenRow } from "./rows.ts";
import { testFileSchema, type WrittenCase } from "./schema.ts";

/** One case of a test file. */
export type MappingCase = {
  readonly name: string;
  /** From the file to the case. */
  readonly path: Path;
  /** Rows, or the absolute path of the file that has them. */
  readonly input: { readonly rows: readonly Row[] } | { readonly file: string };
  /** The outcome expected of each row. */
  readonly expected: readonly Expectation[];
  /** Whether the case has one row, with its expectation in the case itself. */
  readonly isSingle: boolean;
};

/** A file of tests that has been read and checked. */
export type TestFile = {
  /** Absolute. */
  readonly path: string;
  /** The name shown to a person. */
  readonly name: string;
  readonly text: string;
  readonly sync: SyncConfig;
  /** The time that mappings see, in ms since 1970. */
  readonly now: number;
  readonly timeZone: string;
  readonly cases: readonly MappingCase[];
  /** The line of the member at a path, or, if it is missing, of its surroundings. */
  lineOf(path: Path): number;
  /** The text of a member as written, without quotes; undefined if it is missing or is not a single text. */
  writtenAt(path: Path): string | undefined;
};

/**
 * Reads a file of tests.
 * @throws {ConfigError} the file has mistakes: lists each with its line, column and a caret.
 */
export function loadTests(file: FoundFile, syncs: ReadonlyMap<string, SyncConfig>): TestFile {
  const document = parseConfigDocument(file.text);
  const shown = { name: file.name, text: document.shownText };
  if (!document.isReadable) throw configError(shown, document.problems);
  const { output, mistakes } = checkData(testFileSchema, document.data);
  const sync = syncs.get(output?.sync ?? "");
  const cases = (output?.cases ?? []).map((written, index) => ({
    written,
    path: ["cases", index],
    rows: rowsOf(document, written, ["cases", index]),
  }));
  const found = [
    ...mistakes,
    ...(output !== undefined && sync === undefined ? [noSync(output.sync, syncs)] : []),
    ...(sync === undefined
      ? []
      : cases.flatMap(({ rows }) => rows.flatMap((row) => rowMistakes(sync, row)))),
    ...doubleNames(output?.cases ?? []),
  ];
  const problems = [...document.problems, ...problemsAt(document, found)];
  if (output === undefined || sync === undefined || problems.length > 0)
    throw configError(shown, problems);
  return {
    path: file.path,
    name: file.name,
    text: file.text,
    sync,
    now: Date.parse(output.now),
    timeZone: output.time_zone,
    cases: cases.map(({ written, path, rows }): MappingCase => {
      const { name, file: named, row, expect = [] } = written;
      const isSingle = row !== undefined;
      const input =
        named === undefined
          ? { rows: rows.map((each) => rowOf(sync, each)) }
          : { file: resolve(dirname(file.path), named) };
      return { name, path, input, isSingle, expected: isSingle ? [ownOf(written)] : expect };
    }),
    lineOf: (path) => lineAt(file.text, document.offsetOf(path, "name") ?? 0),
    writtenAt: (path) => document.writtenAt(path),
  };
}

/** The path of the expectation for a row of a case. */
export function expectedAt({ path, isSingle }: MappingCase, index: number): Path {
  return isSingle ? path : [...path, "expect", index];
}

function rowsOf(document: ConfigDocument, written: WrittenCase, path: Path): readonly WrittenRow[] {
  const { row, rows = [] } = written;
  const placed =
    row === undefined
      ? rows.map((members, index) => ({ members, path: [...path, "rows", index] }))
      : [{ members: row, path: [...path, "row"] }];
  return placed.map((one) => ({
    ...one,
    textOf: (way) => document.writtenAt([...one.path, ...way]),
  }));
}

/** The expectation that a case has for its one row. */
function ownOf({ record, reject, filtered }: WrittenCase): Expectation {
  const given = Object.entries({ record, reject, filtered });
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}

function noSync(name: string, syncs: ReadonlyMap<string, SyncConfig>): Mistake {
  const names = [...syncs.keys()];
  const there = names.length === 0 ? "" : `; the syncs are: ${names.join(", ")}`;
  const message = `there is no sync "${name}"${didYouMean(name, names)}${there}`;
  return { path: ["sync"], on: "value", message };
}

/** CI servers merge two cases with the same name in a report. */
function doubleNames(cases: readonly WrittenCase[]): readonly Mistake[] {
  return cases.flatMap(({ name }, index): readonly Mistake[] =>
    cases.findIndex((other) => other.name === name) === index
      ? []
      : [{ path: ["cases", index, "name"], on: "value", message: "another case has this name" }],
  );
}
