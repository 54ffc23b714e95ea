import { planting, type Mutant } from "../mutant.ts";

const file = "test/connectors/csv/plain-lines.test.ts";
const sameLine =
  "becomes what it becomes as an object: line, key, reject, place, whatever the mapping and the file";
const onlyUnchanged = (as: string): string =>
  `is taken for plain by \`as: ${as}\` only where the coercion leaves it as it is`;

const mutant = planting({ file, title: sameLine });

const plain = "src/mapping/bytes/plain.ts";
const lines = "src/mapping/bytes/plain-lines.ts";
const plan = "src/mapping/bytes/plan.ts";
const blanks = "src/mapping/bytes/blanks.ts";

/** Rows that go from cells to lines otherwise than objects would. */
export const mutantsOfPlainRows: readonly Mutant[] = [
  mutant({
    id: "S461",
    plants: "007 is a plain whole number",
    file: plain,
    find: "if (isZero && end - first > 1) return -1;",
    replace: "",
    title: onlyUnchanged("integer"),
  }),
  mutant({
    id: "S462",
    plants: "-0 is a plain whole number",
    file: plain,
    find: "return wholeEnd(bytes, from, to) === to && !(bytes[from] === dash && bytes[from + 1] === zero);",
    replace: "return wholeEnd(bytes, from, to) === to;",
    title: onlyUnchanged("integer"),
  }),
  mutant({
    id: "S463",
    plants: "a number with more digits than a double carries is plain",
    file: plain,
    find: "const safeDigits = 15;",
    replace: "const safeDigits = 19;",
    title: onlyUnchanged("integer"),
  }),
  mutant({
    id: "S464",
    plants: "1.50 is written with its last zero",
    file: plain,
    find: "while (last > decimals && bytes[last - 1] === zero) last -= 1;",
    replace: "",
    title: onlyUnchanged("number"),
  }),
  mutant({
    id: "S465",
    plants: "a number that JSON writes with an exponent is plain",
    file: plain,
    find: "if (end - decimals > plainDecimals || end - from > safeDigits) return -1;",
    replace: "if (end - from > safeDigits) return -1;",
    title: onlyUnchanged("number"),
  }),
  mutant({
    id: "S466",
    plants: "the 29th of February is a day in every year",
    file: plain,
    find: "const days = month === 2 && isLeapYear ? 29 : (daysOfMonth[month - 1] ?? 0);",
    replace: "const days = month === 2 || isLeapYear ? 29 : (daysOfMonth[month - 1] ?? 0);",
    title: onlyUnchanged("date"),
  }),
  mutant({
    id: "S467",
    plants: "a leap second is a plain time",
    file: plain,
    find: "pair(bytes, time + 7) <= 59;",
    replace: "pair(bytes, time + 7) <= 60;",
    title: onlyUnchanged("datetime"),
  }),
  mutant({
    id: "S468",
    plants: "ten decimals of a second are plain",
    file: plain,
    find: "if (bytes[fraction] !== dot || decimals < 1 || decimals > 9) return false;",
    replace: "if (bytes[fraction] !== dot || decimals < 1) return false;",
    title: onlyUnchanged("datetime"),
  }),
  mutant({
    id: "S469",
    plants: "a domain keeps its www.",
    file: plain,
    find: 'if (to - from > hostCharsMax || isLike(bytes, from, "www.")) return false;',
    replace: "if (to - from > hostCharsMax) return false;",
    title: onlyUnchanged("domain"),
  }),
  mutant({
    id: "S470",
    plants: "a domain longer than a host name may be is plain",
    file: plain,
    find: 'if (to - from > hostCharsMax || isLike(bytes, from, "www.")) return false;',
    replace: 'if (isLike(bytes, from, "www.")) return false;',
    title: onlyUnchanged("domain"),
  }),
  mutant({
    id: "S471",
    plants: "a single word is a plain domain",
    file: plain,
    find: "if (index === to) return labels > 1 && chars > 1 && (common & inLetters) !== 0;",
    replace: "if (index === to) return chars > 1 && (common & inLetters) !== 0;",
    title: onlyUnchanged("domain"),
  }),
  mutant({
    id: "S472",
    plants: "an address with 65 characters before the @ is plain",
    file: plain,
    find: "if (chars === 0 || chars > emailLocalCharsMax || bytes[end] !== at) return false;",
    replace: "if (chars === 0 || bytes[end] !== at) return false;",
    title: onlyUnchanged("email"),
  }),
  mutant({
    id: "S473",
    plants: "blanks outside ASCII stay around a value",
    file: blanks,
    find: "if ((bytes[first] ?? 0) > 0x7f && isWideBlank(bytes, first)) return undefined;",
    replace: "",
    title: onlyUnchanged("string"),
  }),
  mutant({
    id: "S474",
    plants: "a quote that is written twice is sent twice",
    file: lines,
    find: "const isDoubled = (flags & doubledQuote) !== 0;",
    replace: "const isDoubled = (flags & doubledQuote) > 2;",
  }),
  mutant({
    id: "S475",
    plants: "only the ASCII letters of a value become lower case",
    file: lines,
    find: "if (isLowercase && (flags & notAscii) !== 0) return false;",
    replace: "",
  }),
  mutant({
    id: "S476",
    plants: "a column that is not there is an empty text",
    file: lines,
    find: "this.#empty(field, undefined, skipped)",
    replace: "this.#empty(field, emptyText, skipped)",
  }),
  mutant({
    id: "S478",
    plants: "a text field that is empty is left out of its record",
    file: plan,
    find: 'return { ...field, isText: true, whenEmpty: isKept ? field.whenEmpty : "object" };',
    replace: "return { ...field, isText: true };",
  }),
  mutant({
    id: "S479",
    plants: "an event's time is sent as it came",
    file: plan,
    find: 'return { ...field, kind: "datetime", isText: true, whenEmpty: "object" };',
    replace: 'return { ...field, isText: true, whenEmpty: "object" };',
  }),
  mutant({
    id: "S480",
    plants: "a key is what JSON writes for it",
    file: lines,
    find: 'return json.includes("\\\\") ? String(JSON.parse(`"${json}"`)) : json;',
    replace: "return json;",
  }),
  mutant({
    id: "S481",
    plants: "cells of a page are those of the window after it moved on",
    file: "connectors/csv/parse/pages.ts",
    find: "this.#cells?.keep(this.#window);",
    replace: "",
    title: "keeps the cells of a page while the window moves on",
  }),
  {
    id: "S752",
    plants: "the time of an event is whatever a template makes",
    edits: [
      {
        file: "src/mapping/bytes/plan.ts",
        find: 'const isAsItCame = "column" in field.source && !field.isLowercase;',
        replace: "const isAsItCame = !field.isLowercase;",
      },
    ],
    test: {
      file: "test/connectors/csv/plain-lines.test.ts",
      title: "has a time that is a time: of a template",
    },
  },
  {
    id: "S753",
    plants: "a constant may be nested as deeply as the properties that hold it",
    edits: [
      {
        file: "src/mapping/bytes/plan.ts",
        find: "jsonFaultOf(value, recordDepthMax - 1)",
        replace: "jsonFaultOf(value, recordDepthMax)",
      },
    ],
    test: {
      file: "test/connectors/csv/plain-lines.test.ts",
      title: "is refused for a constant that is nested too deeply",
    },
  },
];
