import { planting, type Mutant } from "../mutant.ts";

const file = "test/connectors/csv/plain-lines.test.ts";
const sameLine =
  "becomes what it becomes as an object: line, key, reject, place, whatever the mapping and the file";
const onlyUnchanged = (as: string): string =>
  `is taken for plain by \`as: ${as}\` only where the coercion leaves it as it is`;

const mutant = planting({ file, title: sameLine });

const plain = "wasm/lines/plain.ts";
const lines = "wasm/lines/index.ts";
const plan = "src/mapping/bytes/plan.ts";

/** Rows whose lines from cells differ from those from objects. */
export const mutantsOfPlainRows: readonly Mutant[] = [
  mutant({
    id: "S461",
    plants: "007 is a plain whole number",
    file: plain,
    find: "if (end - first > 1 && load<u8>(first) == ZERO) return 0;",
    replace: "",
    title: onlyUnchanged("integer"),
  }),
  mutant({
    id: "S462",
    plants: "-0 is a plain whole number",
    file: plain,
    find: "return wholeEnd(from, to) == to && !isMinusZero(from);",
    replace: "return wholeEnd(from, to) == to;",
    title: onlyUnchanged("integer"),
  }),
  mutant({
    id: "S463",
    plants: "a number with more digits than a double carries is plain",
    file: plain,
    find: "const SAFE_DIGITS: usize = 15;",
    replace: "const SAFE_DIGITS: usize = 19;",
    title: onlyUnchanged("integer"),
  }),
  mutant({
    id: "S464",
    plants: "1.50 is written with its last zero",
    file: plain,
    find: "while (last > decimals && load<u8>(last - 1) == ZERO) last--;",
    replace: "",
    title: onlyUnchanged("number"),
  }),
  mutant({
    id: "S465",
    plants: "a number that JSON writes with an exponent is plain",
    file: plain,
    find: "if (end - decimals > PLAIN_DECIMALS || end - from > SAFE_DIGITS) return 0;",
    replace: "if (end - from > SAFE_DIGITS) return 0;",
    title: onlyUnchanged("number"),
  }),
  mutant({
    id: "S466",
    plants: "the 29th of February is a day in every year",
    file: plain,
    find: "(isLeapYear ? 29 : 28)",
    replace: "29",
    title: onlyUnchanged("date"),
  }),
  mutant({
    id: "S467",
    plants: "a leap second is a plain time",
    file: plain,
    find: "pair(at + 1) <= 59",
    replace: "pair(at + 1) <= 60",
    title: onlyUnchanged("datetime"),
  }),
  mutant({
    id: "S468",
    plants: "ten decimals of a second are plain",
    file: plain,
    find: "return decimals <= 9 && areDigits",
    replace: "return areDigits",
    title: onlyUnchanged("datetime"),
  }),
  mutant({
    id: "S469",
    plants: "a domain keeps its www.",
    file: plain,
    find: "if (to - from > HOST_CHARS_MAX || hasWww(from, to)) return false;",
    replace: "if (to - from > HOST_CHARS_MAX) return false;",
    title: onlyUnchanged("domain"),
  }),
  mutant({
    id: "S470",
    plants: "a domain longer than a host name may be is plain",
    file: plain,
    find: "if (to - from > HOST_CHARS_MAX || hasWww(from, to)) return false;",
    replace: "if (hasWww(from, to)) return false;",
    title: onlyUnchanged("domain"),
  }),
  mutant({
    id: "S471",
    plants: "a single word is a plain domain",
    file: plain,
    find: "return labels > 1 && chars > 1 &&",
    replace: "return chars > 1 &&",
    title: onlyUnchanged("domain"),
  }),
  mutant({
    id: "S472",
    plants: "an address with 65 characters before the @ is plain",
    file: plain,
    find: "if (chars == 0 || chars > EMAIL_LOCAL_CHARS_MAX || end == to",
    replace: "if (chars == 0 || end == to",
    title: onlyUnchanged("email"),
  }),
  mutant({
    id: "S473",
    plants: "blanks outside ASCII stay around a value",
    file: "wasm/lines/blanks.ts",
    find: "if (load<u8>(from) > 0x7f && isWideBlank(from)) return false;",
    replace: "",
    title: onlyUnchanged("string"),
  }),
  mutant({
    id: "S474",
    plants: "a quote that is written twice is sent twice",
    file: lines,
    find: "const isDoubled = (flag & DOUBLED_QUOTE) != 0;",
    replace: "const isDoubled = (flag & DOUBLED_QUOTE) > 2;",
  }),
  mutant({
    id: "S475",
    plants: "only the ASCII letters of a value become lower case",
    file: lines,
    find: "if (isLowercase && (flag & NOT_ASCII) != 0) return false;",
    replace: "",
    title: "becomes what it becomes as an object in small letters, also outside ASCII",
  }),
  mutant({
    id: "S476",
    plants: "a column that is not there is an empty text",
    file: lines,
    find: "writeEmpty(field, 0, 0, skipped)",
    replace: "writeEmpty(field, EMPTY_TEXT, 2, skipped)",
    title: "becomes what it becomes as an object from a column that is not there",
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
    file: "src/pipeline/candidates/plain-candidate.ts",
    find: 'return json.includes(backslash) ? String(JSON.parse(`"${text}"`)) : text;',
    replace: "return text;",
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
  {
    id: "S881",
    plants: "a word with a NUL behind it is true or false",
    edits: [{ file: plain, find: "if (byte == 0) return -1;", replace: "" }],
    test: {
      file: "test/src/mapping/bytes/plain-lines.test.ts",
      title: 'take "t\\u0000" for no boolean',
    },
  },
];
