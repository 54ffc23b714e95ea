import { planting, type Mutant } from "../mutant.ts";

const mutant = planting({
  file: "test/connectors/csv/parse/plain-scan.test.ts",
  title: "are what the scanner finds: cells, flags, lines, whatever stands between them",
});

const scan = "wasm/csv/index.ts";
const pages = "connectors/csv/parse/pages.ts";

/** Rows of a CSV file that are wrongly considered plain. */
export const mutantsOfPlainScans: readonly Mutant[] = [
  mutant({
    id: "S774",
    plants: "text behind a closing quote is lost without a word",
    file: scan,
    find: "if (after != delimiter && after != LINE_FEED && after != CARRIAGE_RETURN) return NONE;",
    replace: "",
  }),
  mutant({
    id: "S775",
    plants: "a row ends a byte behind a lone carriage return",
    file: scan,
    find: "return load<u8>(at) == LINE_FEED || (at + 1 < end && load<u8>(at + 1) == LINE_FEED);",
    replace: "return true;",
  }),
  mutant({
    id: "S776",
    plants: "lines within quotes are not counted",
    file: scan,
    find: "      line++;\n      at++;",
    replace: "      at++;",
  }),
  mutant({
    id: "S777",
    plants: "a NUL is a character like any other",
    file: scan,
    find: "if (byte == 0 || byte == quote) return NONE;",
    replace:
      "if (byte == 0) {\n      at++;\n      continue;\n    }\n    if (byte == quote) return NONE;",
  }),
  mutant({
    id: "S778",
    plants: "a row ends where the window does not reach",
    file: scan,
    find: "    if (at >= end) return NONE;\n    const byte: u32 = load<u8>(at);\n    if (byte == 0",
    replace: "    const byte: u32 = load<u8>(at);\n    if (byte == 0",
  }),
  mutant({
    id: "S779",
    plants: "a row may be a byte longer than others allow",
    file: scan,
    find: "at - begin > <usize>rowBytesMax",
    replace: "at - begin > <usize>rowBytesMax + 1",
    title: "are a byte longer",
  }),
  mutant({
    id: "S780",
    plants: "rows of a block that is no UTF-8 are taken without a look",
    file: pages,
    find: "if (this.#unproven !== undefined || !this.#text.isValid) return false;",
    replace: "if (this.#unproven !== undefined) return false;",
    test: "test/connectors/csv/faults/encoding.test.ts",
    title: "is read in Latin-1 when windows-1252 is set, and refused row by row when not",
  }),
  mutant({
    id: "S781",
    plants: "nothing proves where a long row ended",
    file: pages,
    find: "if (this.#unproven !== undefined || !this.#text.isValid) return false;",
    replace: "if (!this.#text.isValid) return false;",
    test: "test/connectors/csv/faults/rows.test.ts",
    title: "is on the page of the first row behind it",
  }),
  mutant({
    id: "S782",
    plants: "a page goes on behind its rows",
    file: pages,
    find: "rowsMax: this.#read.pageRowsMax - this.#count,",
    replace: "rowsMax: this.#read.pageRowsMax,",
    test: "test/connectors/csv/read.test.ts",
    title: "fills a page no further behind a reject in it",
  }),
];
