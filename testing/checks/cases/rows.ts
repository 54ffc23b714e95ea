import { isDeepStrictEqual } from "node:util";

import type { Row } from "../../../connectors/contract/connector.ts";
import type { Finding } from "../../../connectors/contract/request.ts";
import { messageOf, SluiceError } from "../../../src/errors.ts";
import type { CaseOutcome, TestCase, Thrown } from "../../case.ts";
import { CheckFailed, mustBe } from "../../failed.ts";
import type { ReadPage } from "../../subject.ts";

/** Fails unless these pages hold what is expected, in its order. @throws {CheckFailed} without a cell */
export function mustCome(pages: readonly ReadPage[], expected: CaseOutcome, when: string): void {
  mustBeCaseRows(rowsOf(pages), expected.rows ?? [], when);
  const { rejects = [] } = expected;
  const came = pages.flatMap((page) => page.rejects);
  const counted = `${rejects.length} rejects ${when}`;
  mustBe(came.length === rejects.length, counted, String(came.length));
  for (const [index, reject] of rejects.entries()) {
    const own = { ...came[index], ...reject };
    const isAsExpected = isDeepStrictEqual(own, { ...came[index] });
    const { where = "", code = "" } = came[index] ?? {};
    mustBe(
      isAsExpected,
      `a reject ${reject.code} at ${reject.where} ${when}`,
      `${code} at ${where}`,
    );
  }
}

/** The rows of pages, as they came. */
export function rowsOf(pages: readonly ReadPage[]): readonly Row[] {
  return pages.flatMap(({ raw }) => raw.rows);
}

/** The places of the rows of pages. */
export function placesOf(pages: readonly ReadPage[]): readonly string[] {
  return pages.flatMap(({ raw }) => raw.rows.map((_, index) => raw.where(index)));
}

/**
 * Fails unless rows have these places, wherever a read began. @throws {CheckFailed} without a place, which may be a key
 */
export function mustBePlaced(
  pages: readonly ReadPage[],
  places: readonly string[],
  when: string,
): void {
  const others = placesOf(pages).filter((place, index) => place !== places[index]);
  mustBe(others.length === 0, `rows to be called the same ${when}`, `${others.length} others`);
}

/**
 * Fails unless exactly these rows came, in their order. @throws {CheckFailed} with names of columns, and
 * without a cell
 */
export function mustBeCaseRows(came: readonly Row[], expected: readonly Row[], when: string): void {
  mustBe(came.length === expected.length, `${expected.length} rows ${when}`, String(came.length));
  for (const [index, row] of expected.entries()) {
    const own = came[index] ?? {};
    const names = new Set([...Object.keys(row), ...Object.keys(own)]);
    const others = [...names].filter((name) => !isDeepStrictEqual(own[name], row[name]));
    const what = `row ${index + 1} of ${expected.length} as it was written ${when}`;
    mustBe(others.length === 0, what, `another ${others.join(", ")}`);
  }
}

/** Fails unless the work throws exactly that. */
export async function mustThrow(
  { code, field, says = "" }: Thrown,
  work: () => Promise<void>,
  when: string,
): Promise<void> {
  const expected = `${code}${field === undefined ? "" : ` of ${field}`} ${when}`;
  try {
    await work();
  } catch (error) {
    if (!(error instanceof SluiceError)) throw error;
    const isIt = error.code === code && (field === undefined || error.field === field);
    mustBe(isIt, expected, `${error.code} of ${error.field ?? "no field"}`);
    const isSaid = `${error.message} ${error.hint ?? ""}`.includes(says);
    mustBe(isSaid, `${expected} that says "${says}"`, "one that says something else");
    return;
  }
  throw new CheckFailed(expected, "none");
}

/** Adds to a failure which case it is of. @throws {CheckFailed} for any error */
export async function naming(what: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof CheckFailed) {
      throw new CheckFailed(`of ${what}: ${error.expected}`, error.came);
    }
    const name = error instanceof Error ? error.name : "something";
    throw new CheckFailed(`no error from ${what}`, `${name}: ${messageOf(error)}`);
  }
}

/** Fails unless each of these was found. @throws {CheckFailed} */
export function mustFind(found: readonly Finding[], expected: TestCase["findings"] = []): void {
  for (const finding of expected) {
    const one = found.find(({ name }) => name === finding.name);
    mustBe(one !== undefined, `\`check\` to find ${finding.name}`, `${found.length} others`);
    const told = new Map<string, unknown>(Object.entries(one));
    const isSame = Object.entries(finding).every(([name, value]) =>
      isDeepStrictEqual(told.get(name), value),
    );
    mustBe(isSame, `${finding.name} to be found as it is`, one.detail ?? "without a detail");
  }
}
