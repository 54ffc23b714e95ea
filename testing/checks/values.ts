import { env } from "node:process";

import { rowBytesMax } from "../../src/limits.ts";
import type { Check } from "../check.ts";
import { mustBe, needed, NotShown } from "../failed.ts";
import type { HarnessRow, HardCell } from "../harness.ts";
import { idsOf, makeRows, mustBeRows } from "../rows.ts";
import type { Subject } from "../subject.ts";

/** R18 to R20: cells arrive as they are in the source, and rows that cannot be read are reported. */
export const valueChecks: readonly Check[] = [
  {
    id: "R18",
    title: "keeps hard cells as they are",
    why: "A cell that is changed on the way is wrong data in the service; an id that is rounded is another customer.",
    run: keepsCells,
  },
  {
    id: "R19",
    title: "shifts no time under another time zone",
    why:
      "A worker in another zone would send times that are hours off, and a shifted position loses or " +
      "repeats those hours.",
    run: shiftsNoTime,
  },
  {
    id: "R20",
    title: "rejects what is malformed and reads the rest",
    why: "One malformed row must not hold up the others, and must not go by in silence either.",
    run: rejectsMalformed,
  },
];

/** Cells by their names in messages. */
const cells: readonly {
  readonly name: string;
  readonly text: string | null;
  readonly kind?: HardCell;
}[] = [
  { name: "letters of several scripts", text: "Zażółć 東京 Ελλάδα עברית ﷽" },
  { name: "an emoji of several characters", text: "👩‍👩‍👧 👍🏽" },
  { name: "a combining accent", text: "Cafe\u0301" },
  { name: "null", text: null, kind: "null" },
  { name: "an empty text", text: "", kind: "empty" },
  { name: "007", text: "007" },
  { name: "2^53+1", text: "9007199254740993" },
  { name: "a decimal with a last zero", text: "1.10" },
  { name: "the word null", text: "null" },
  { name: "the word NaN", text: "NaN" },
  { name: "spaces at both ends", text: "  between spaces  " },
  { name: "a NUL", text: "before\0after", kind: "NUL" },
  { name: "line breaks", text: "one\ntwo\r\nthree", kind: "line break" },
  { name: "a quote", text: 'she said "no"' },
  { name: "a comma, a semicolon and a tab", text: "a,b;c\td" },
  { name: "a backslash", text: "C:\\new\\table" },
  { name: "what is an escape elsewhere", text: "&amp; %20 \\u0041 ${HOME}" },
];

/** As long as a row may be, less its other cells. */
const longCell = {
  name: "a cell of 1 MB",
  kind: "1 MB",
  text: Buffer.alloc(rowBytesMax - 1_000, "sluice ").toString("latin1"),
} as const;

async function keepsCells(subject: Subject): Promise<void> {
  const cannotHold = new Set(subject.harness.cannotHold);
  const held = [...cells, longCell].filter(
    ({ kind }) => kind === undefined || !cannotHold.has(kind),
  );
  const plain = makeRows(held.length);
  const rows = held.map(({ text }, index) => ({ ...rowAt(plain, index), text }));
  // As JavaScript numbers, these two are the same.
  const ids = ["9007199254740992", "9007199254740993"];
  const far = makeRows(ids.length).map((row, index) => ({ ...row, id: ids[index] ?? "" }));
  await subject.holds([...rows, ...far]);
  const came = new Map((await subject.rows()).map((row) => [row.id, row.text]));
  for (const [index, { name, text }] of held.entries()) {
    const { id } = rowAt(rows, index);
    mustBe(came.has(id), `a row with ${name}`, "none");
    mustBe(came.get(id) === text, `${name} as it was written`, kindOf(came.get(id)));
  }
  const lost = ids.filter((id) => !came.has(id));
  mustBe(lost.length === 0, "ids above 2^53 to the last digit", `none for ${idsOf(lost)}`);
}

function rowAt(rows: readonly HarnessRow[], index: number): HarnessRow {
  const row = rows[index];
  if (row === undefined) throw new RangeError(`there is no row ${index}`);
  return row;
}

/** The kind of text that came, quoting nothing of it. */
function kindOf(text: string | null | undefined): string {
  if (text === null) return "null";
  return text === undefined || text === "" ? "an empty text" : `another text`;
}

/** Far apart, and each with clocks that go forward or back at one of `hardTimes`. */
const zones: readonly { readonly name: string; readonly julyMinutes: number }[] = [
  { name: "America/New_York", julyMinutes: 240 },
  { name: "Europe/Berlin", julyMinutes: -120 },
  { name: "Pacific/Chatham", julyMinutes: -765 },
];

/** An hour that is left out in Berlin, one that comes twice in New York, and ends of days and years. */
const hardTimes: readonly string[] = [
  "2024-01-01T00:00:00.000000Z",
  "2024-03-31T00:59:59.999999Z",
  "2024-03-31T01:00:00.000000Z",
  "2024-06-30T23:30:00.500000Z",
  "2024-11-03T05:30:00.000001Z",
  "2024-11-03T06:30:00.000001Z",
  "2024-12-31T23:59:59.999999Z",
];

async function shiftsNoTime(subject: Subject): Promise<void> {
  const plain = makeRows(hardTimes.length);
  const rows = hardTimes.map((changed, index) => ({ ...rowAt(plain, index), changed }));
  await subject.holds(rows);
  const here = await subject.read({ pageRowsMax: 2 });
  const cameHere = here.flatMap((page) => page.rows);
  mustBeRows(cameHere, rows, "in this time zone");
  mustBeTimes(cameHere, rows, "in this time zone");
  for (const zone of zones) {
    const middle = Math.floor(here.length / 2);
    const { name } = zone;
    const [all, rest] = await under(zone, async () => [
      await subject.rows({ pageRowsMax: 2 }),
      await subject.rows({ from: here[middle]?.position, pageRowsMax: 2 }),
    ]);
    mustBeRows(all, rows, `under TZ=${name}`);
    mustBeTimes(all, rows, `under TZ=${name}`);
    mustBeAlike(all, cameHere, name);
    const before = here.slice(0, middle + 1).flatMap((page) => page.rows);
    mustBeRows([...before, ...rest], rows, `when a read continues under TZ=${name}`);
  }
}

const july = new Date("2024-07-01T12:00:00Z");

/** Does something in another time zone, as a worker elsewhere would. */
async function under<Done>(
  { name, julyMinutes }: (typeof zones)[number],
  work: () => Promise<Done>,
): Promise<Done> {
  const own = env["TZ"];
  env["TZ"] = name;
  try {
    if (july.getTimezoneOffset() !== julyMinutes) {
      throw new NotShown(
        'a thread has no time zone of its own: run the kit in a process (`pool: "forks"`)',
      );
    }
    return await work();
  } finally {
    if (own === undefined) delete env["TZ"];
    else env["TZ"] = own;
  }
}

/**
 * @throws {CheckFailed} a time is not the one that was written. A time without a zone is not compared here: it only has
 * to stay the same.
 */
function mustBeTimes(came: readonly HarnessRow[], rows: readonly HarnessRow[], when: string): void {
  const written = new Map(rows.map(({ id, changed }) => [id, changed]));
  for (const { id, changed } of came) {
    const [time, own] = [instantOf(changed), instantOf(written.get(id) ?? "")];
    mustBe(time === undefined || time === own, `the time of row ${id} ${when}`, "another time");
  }
}

function mustBeAlike(came: readonly HarnessRow[], here: readonly HarnessRow[], zone: string): void {
  const times = new Map(here.map(({ id, changed }) => [id, changed]));
  const other = came.filter(({ id, changed }) => times.get(id) !== changed);
  mustBe(
    other.length === 0,
    `the same times under TZ=${zone} as here`,
    `${other.length} others of ${came.length} (${idsOf(other.map(({ id }) => id))})`,
  );
}

const timeWithZone = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.\d+)? ?(Z|[+-]\d\d(?::?\d\d)?)$/i;

/** The time that a text with a zone names, to the second, because not every source keeps finer times. */
function instantOf(text: string): number | undefined {
  const found = timeWithZone.exec(text);
  if (found === null) return undefined;
  const [, day, time, zone = ""] = found;
  const [, sign, hours, minutes = "00"] = /^([+-])(\d\d):?(\d\d)?$/.exec(zone) ?? [];
  return Date.parse(`${day}T${time}${sign === undefined ? "Z" : `${sign}${hours}:${minutes}`}`);
}

async function rejectsMalformed(subject: Subject): Promise<void> {
  const { harness } = subject;
  const spoil = needed(harness.spoil?.bind(harness), "the harness has no `spoil`");
  const rows = makeRows(20);
  await subject.holds(rows);
  mustBeRows(await subject.rows(), rows, "before any is malformed");
  const spoiled = await spoil();
  mustBe(spoiled > 0, "the harness's `spoil` to put in malformed rows", `${spoiled}`);
  const pages = await subject.read({ pageRowsMax: 4 });
  const rejects = pages.flatMap((page) => page.rejects);
  mustBe(
    rejects.length === spoiled,
    `${spoiled} rejects for as many malformed rows`,
    `${rejects.length}`,
  );
  mustBeRows(
    pages.flatMap((page) => page.rows),
    rows,
    "beside malformed ones",
  );
  const told = rejects.every((reject) =>
    [reject.where, reject.code, reject.reason].every((text) => text.trim() !== ""),
  );
  mustBe(told, "each reject with its place, code and reason", "one without");
  const places = new Set(rejects.map(({ where }) => where)).size;
  mustBe(places === spoiled, `${spoiled} places of rejects`, `${places}`);
  for (const [index, { position }] of pages.entries()) {
    const before = pages.slice(0, index + 1).flatMap((page) => page.rejects).length;
    const rest = await subject.read({ from: position });
    const count = before + rest.flatMap((page) => page.rejects).length;
    const when = `when a read continues after page ${index + 1}`;
    mustBe(count === spoiled, `each of ${spoiled} rejects once ${when}`, `${count}`);
  }
}
