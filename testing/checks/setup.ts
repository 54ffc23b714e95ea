import type { Discovery, Row } from "../../connectors/contract/connector.ts";
import type { Finding } from "../../connectors/contract/request.ts";
import type { Check } from "../check.ts";
import { mustBe, needed, NotShown } from "../failed.ts";
import type { HarnessRow } from "../harness.ts";
import { makeRows } from "../rows.ts";
import type { Subject } from "../subject.ts";

/** The most discoveries that are read. */
const discoveriesMax = 10;

/** The end of a name that no file, table or host has. */
const nowhere = "-nowhere";

/** A4: `check` on a good configuration, and on bad ones. */
export const checking: Check = {
  id: "A4",
  title: "finds with `check` what is wrong, and says what to do",
  why:
    "People trust `sluice check` before they start a sync: a fault that it does not find, or finds " +
    "without a fix, is found by the run at night.",
  run: async (subject) => {
    const { harness, source } = subject;
    needed(source.check?.bind(source), "the connector has no `check`");
    await subject.holds(makeRows(3));
    const good = await findings(subject, {});
    const bad = good.filter(({ ok }) => !ok).map(({ name }) => name);
    mustBe(good.length > 0, "a finding at least about the harness's own config", "none");
    mustBe(
      bad.length === 0,
      "the harness's own config to be all right",
      `a fault in ${bad.join()}`,
    );
    const denied = await whenDenied(subject);
    if (denied !== undefined) mustFind(denied, "when the credentials are refused");
    const spoiled = Object.entries(harness.config).flatMap(([name, value]) =>
      typeof value === "string" ? [{ [name]: `${value}${nowhere}` }] : [],
    );
    const taken = spoiled.filter((changes) => isTaken(subject, changes));
    const found = await Promise.all(taken.map(async (changes) => await findings(subject, changes)));
    if (taken.length === 0 && denied === undefined) {
      throw new NotShown("no text of the harness's config can be made wrong, and it has no `deny`");
    }
    const faulty = found.filter((each) => each.some(({ ok }) => !ok));
    const names = taken.flatMap(Object.keys).join(", ");
    const isFound = taken.length === 0 || faulty.length > 0;
    mustBe(isFound, `a fault when one of ${names} is something that is not there`, "none");
    for (const each of faulty) mustFind(each, "when a setting is something that is not there");
  },
};

async function findings(subject: Subject, changes: object): Promise<readonly Finding[]> {
  const request = { ...subject.request(), config: subject.config(changes) };
  return (await subject.source.check?.(request)) ?? [];
}

/** Undefined when the harness cannot refuse. */
async function whenDenied(subject: Subject): Promise<readonly Finding[] | undefined> {
  const undo = await subject.harness.deny?.();
  try {
    return undo && (await findings(subject, {}));
  } finally {
    await undo?.();
  }
}

/** Fails unless a fault was found, and every fault says what to do. */
function mustFind(found: readonly Finding[], when: string): void {
  const faults = found.filter(({ ok }) => !ok);
  mustBe(faults.length > 0, `a fault ${when}`, "none");
  const unfixed = faults.filter(({ fix = "" }) => fix.trim() === "").map(({ name }) => name);
  mustBe(unfixed.length === 0, `a \`fix\` ${when}`, `none in ${unfixed.join(", ")}`);
}

function isTaken({ source, harness }: Subject, changes: object): boolean {
  return source.config.safeParse({ ...harness.config, ...changes }).success;
}

/** A5: the suggestions of `discover` work. */
export const discovering: Check = {
  id: "A5",
  title: "suggests with `discover` what can be read",
  why:
    "People copy the suggestions of `discover` into the configuration: a suggestion that does not work " +
    "costs a new user the first hour.",
  run: async (subject) => {
    const { source } = subject;
    needed(source.discover?.bind(source), "the connector has no `discover`");
    const rows = makeRows(20);
    await subject.holds(rows);
    const found = await discovered(subject, discoveriesMax);
    mustBe(found.length > 0, "what the harness holds to be discovered", "nothing");
    const few = await discovered(subject, 1);
    mustBe(few.length <= 1, "at most as many discoveries as asked for: 1", String(few.length));
    const names = found.map(({ name }) => name);
    mustBe(
      names.join() === names.toSorted().join(),
      "discoveries in the order of names",
      "another",
    );
    let hasRows = false;
    for (const each of found) hasRows = (await reads(subject, each, rows)) || hasRows;
    mustBe(
      hasRows,
      "a suggestion that reads what the harness holds",
      `${found.length} that do not`,
    );
  },
};

async function discovered(subject: Subject, max: number): Promise<readonly Discovery[]> {
  return (await subject.source.discover?.({ ...subject.request(), max })) ?? [];
}

/**
 * Whether a suggestion reads exactly the harness's rows; it may be about other rows. @throws {CheckFailed} it cannot be
 * read at all
 */
async function reads(
  subject: Subject,
  { name, from, columns, key }: Discovery,
  expected: readonly HarnessRow[],
): Promise<boolean> {
  const { source } = subject;
  mustBe(
    isTaken(subject, from),
    `members of \`from\` that the schema takes, for ${name}`,
    `${Object.keys(from).join(", ")}, which it refuses`,
  );
  const request = { ...subject.request(), config: subject.config(from), pageRowsMax: 7 };
  const rows: Row[] = [];
  for await (const page of source.read({ ...request, limit: expected.length + 1 })) {
    rows.push(...page.rows);
    if (rows.length > expected.length) break;
  }
  const named = new Set(columns.map((column) => column.name));
  const unnamed = Object.keys(rows[0] ?? {}).filter((column) => !named.has(column));
  mustBe(unnamed.length === 0, `every column of ${name}`, `none for ${unnamed.join(", ")}`);
  const lost = key.filter((column) => !named.has(column));
  mustBe(lost.length === 0, `a key of ${name} made of its columns`, lost.join(", "));
  return rows.length === expected.length && hasAll(subject, rows, expected);
}

function idOf({ id }: Row): string {
  return typeof id === "string" ? id : JSON.stringify(id);
}

function hasAll(
  { harness }: Subject,
  rows: readonly Row[],
  expected: readonly HarnessRow[],
): boolean {
  const ids = new Set(rows.map((row) => harness.rowOf?.(row).id ?? idOf(row)));
  return expected.every(({ id }) => ids.has(id));
}
