import type { CaseResult } from "./run.ts";

/** A file of tests and the results of its cases. */
export type FileResult = {
  /** The name shown to a person. */
  readonly name: string;
  readonly cases: readonly (Pick<CaseResult, "case" | "differences"> & {
    readonly line: number;
    /** The failure for a person; empty if there is none. */
    readonly text: string;
  })[];
};

/** The results as JUnit XML for CI servers. */
export function junitXml(files: readonly FileResult[]): string {
  const suites = files.flatMap(({ name, cases }) => [
    `  <testsuite${attributes({ name, tests: cases.length, failures: failuresIn(cases) })}>`,
    ...cases.flatMap((one) => caseLines(name, one)),
    "  </testsuite>",
  ]);
  const all = files.flatMap(({ cases }) => cases);
  const totals = attributes({ name: "sluice test", tests: all.length, failures: failuresIn(all) });
  const head = `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites${totals}>`;
  return `${[head, ...suites, "</testsuites>"].join("\n")}\n`;
}

function caseLines(file: string, one: FileResult["cases"][number]): readonly string[] {
  const { line, differences, text } = one;
  const open = `    <testcase${attributes({ classname: file, name: one.case.name, file, line })}`;
  if (differences.length === 0) return [`${open}/>`];
  const count = differences.length === 1 ? "1 difference" : `${differences.length} differences`;
  return [
    `${open}>`,
    `      <failure${attributes({ message: `${file}:${line}: ${count}` })}>${escaped(text)}</failure>`,
    "    </testcase>",
  ];
}

function failuresIn(cases: readonly Pick<CaseResult, "differences">[]): number {
  return cases.filter(({ differences }) => differences.length > 0).length;
}

function attributes(values: Readonly<Record<string, string | number>>): string {
  const given = Object.entries(values).map(
    ([name, value]) => ` ${name}="${escaped(String(value))}"`,
  );
  return given.join("");
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};

/** Text as XML 1.0 can hold it: the only control characters allowed are tab and line ends. */
function escaped(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[&<>"]/g, (character) => entities[character] ?? character)
    .replaceAll(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "\ufffd");
}
