import { planting, type Mutant } from "../mutant.ts";

const mutant = planting({
  file: "test/connectors/csv/plain-lines.test.ts",
  title: "keeps the cells of a page while others use memory that was given back",
});

const plainLines = planting({
  file: "test/src/mapping/bytes/plain-lines.test.ts",
  title: "have room, however much longer than their cells they are",
});

const keys = planting({
  file: "test/src/pipeline/candidates/keys.test.ts",
  title: "are the same as text, in a block and in a JSON array",
});

const reading = planting({
  file: "test/connectors/csv/read.test.ts",
  title: "reads files side by side as it reads them one after the other",
});

const sameLine =
  "becomes what it becomes as an object: line, key, reject, place, whatever the mapping and the file";

const pageCells = "connectors/csv/parse/page-cells.ts";

/** Pages whose memory is reused too early, and lines that are written beyond their memory. */
export const mutantsOfPageMemory: readonly Mutant[] = [
  mutant({
    id: "S760",
    plants: "a page is given memory that another one still has",
    file: "src/records/page-memory.ts",
    find: "const [piece] = this.#idle.splice(at === -1 ? 0 : at, 1);",
    replace: "const piece = this.#idle[at === -1 ? 0 : at];",
  }),
  mutant({
    id: "S761",
    plants: "a page is given memory that is too small",
    file: "src/records/page-memory.ts",
    find: "({ length }) => length >= bytesMin",
    replace: "({ length }) => length > 0",
  }),
  mutant({
    id: "S762",
    plants: "the memory of cells goes back when their page ends",
    file: pageCells,
    find: "    this.#length = 0;\n    this.#bytes = noMemory;",
    replace: "    this.#length = 0;\n    cellMemory.giveBack(bytes);\n    this.#bytes = noMemory;",
  }),
  mutant({
    id: "S763",
    plants: "a page's memory is taken back while its rejects are noted",
    file: "src/pipeline/chunk.ts",
    find: "      yield { page, counts: this.#counts, start };\n      page.release?.();",
    replace: "      page.release?.();\n      yield { page, counts: this.#counts, start };",
    test: "test/src/pipeline/chunk.test.ts",
    title: "takes the memory of a page back, once, when nobody reads it any more",
  }),
  plainLines({
    id: "S764",
    plants: "cells are read wherever their places say",
    file: "wasm/lines/index.ts",
    find: "return from <= to && to <= bytesCount && to - from <= rowBytes;",
    replace: "return to - from <= rowBytes;",
    title: "are none of rows whose cells lie where no cell can",
  }),
  plainLines({
    id: "S765",
    plants: "a cell with more bytes than its row is written",
    file: "wasm/lines/index.ts",
    find: "return from <= to && to <= bytesCount && to - from <= rowBytes;",
    replace: "return from <= to && to <= bytesCount;",
    title: "are none of rows whose cells have more bytes than is said of the row",
  }),
  plainLines({
    id: "S766",
    plants: "the places of lines are read where they were before memory grew",
    file: "src/mapping/bytes/plain-lines.ts",
    find: "    this.places = new Int32Array(buffer, this.#placesAt, this.#rows * placeWords);\n",
    replace:
      "    if (bytesMin < 1e6) this.places = new Int32Array(buffer, this.#placesAt, 5 * this.#rows);\n",
  }),
  plainLines({
    id: "S767",
    plants: "room is made for lines without escapes",
    file: "wasm/lines/index.ts",
    find: "const ESCAPED_BYTES_MAX: u32 = 6;",
    replace: "const ESCAPED_BYTES_MAX: u32 = 1;",
  }),
  plainLines({
    id: "S768",
    plants: "a page is read by the columns of the one before",
    file: "src/mapping/bytes/plain-lines.ts",
    find: "if (columns !== this.#columns) this.#bind(columns);",
    replace: "if (this.#columns === undefined) this.#bind(columns);",
    title: "go on behind a row that is an object, and with other columns",
  }),
  mutant({
    id: "S769",
    plants: "what stands behind a text is escaped with it",
    file: "wasm/lines/out.ts",
    find: "if (plain < 16 && from < to) textByte",
    replace: "if (plain < 16) textByte",
    title: sameLine,
  }),
  mutant({
    id: "S770",
    plants: "the 31st of April is a day",
    file: "wasm/lines/plain.ts",
    find: "30 + ((month + (month >> 3)) & 1)",
    replace: "31",
    title: "is taken for plain by `as: date` only where the coercion leaves it as it is",
  }),
  reading({
    id: "S1410",
    plants: "the block that a file is read into is another file's, too",
    file: "connectors/csv/parse/bytes.ts",
    find: "  let isReading = false;\n",
    replace: "  let isReading = false;\n  blockMemory.giveBack(block);\n",
  }),
  reading({
    id: "S1411",
    plants: "what a file is scanned in is another file's, too",
    file: "connectors/csv/parse/window.ts",
    find: "    this.#bytes.copy(grown, 0, 0, this.#bytesEnd);\n    this.#memory?.giveBack(this.#bytes);",
    replace:
      "    this.#bytes.copy(grown, 0, 0, this.#bytesEnd);\n    this.#memory?.giveBack(grown);",
  }),
  mutant({
    id: "S1400",
    plants: "records that are kept stay where others were left out",
    file: "src/pipeline/candidates/candidates.ts",
    find: "places.copyWithin(kept * placeWords, from, from + placeWords);",
    replace: "void from;",
    test: "test/src/pipeline/candidates/candidates.test.ts",
    title: "are those that were added, less what was not to be kept",
  }),
  mutant({
    id: "S1401",
    plants: "a record from cells may be larger than a body",
    file: "src/pipeline/lines.ts",
    find: "if (this.#how.bytesMax === undefined) {",
    replace: "if (this.#how.bytesMax !== null) {",
    title: sameLine,
  }),
  mutant({
    id: "S1402",
    plants: "the places of a page are written over by the next page",
    file: "src/pipeline/lines.ts",
    find: "    const places = placeMemory.take(rows * placeBytes);\n",
    replace:
      "    const places = placeMemory.take(rows * placeBytes);\n    placeMemory.giveBack(places);\n",
    test: "test/src/pipeline/lines.test.ts",
    title: "keeps the records of a page while others use memory that was given back",
  }),
  keys({
    id: "S771",
    plants: "a key that is escaped in its line is judged as it is written there",
    file: "src/pipeline/candidates/keys.ts",
    find: "texts.key(candidates, position, backslash)",
    replace: "texts.key(candidates, position, -1)",
  }),
  keys({
    id: "S772",
    plants: "a list of keys loses those before it grew",
    file: "src/pipeline/candidates/keys.ts",
    find: "    before.copy(grown.bytes, 0, 0, end);\n",
    replace: "",
    title: "are as many as a chunk has",
  }),
  mutant({
    id: "S773",
    plants: "a deflated block is written over before the disk has taken it",
    file: "src/pipeline/fast-blocks.ts",
    find: "last = sink.append(piece.subarray(0, bytes))",
    replace: "copies.giveBack(piece);\n    last = sink.append(piece.subarray(0, bytes))",
    test: "test/src/pipeline/fast-blocks.test.ts",
    title: "keeps what a slow disk has not taken yet",
  }),
  mutant({
    id: "S1620",
    plants: "all pieces that a block of Postgres grew through are kept beside it",
    file: "connectors/postgres/rows/raw-rows.ts",
    find: "      this.#bytes.copy(grown, 0, 0, this.#length);\n",
    replace:
      "      this.#bytes.copy(grown, 0, 0, this.#length);\n      memory.giveBack(this.#bytes);\n",
    test: "test/connectors/postgres/page-memory.test.ts",
    title: "holds no more than half again of a block that grew",
  }),
  mutant({
    id: "S783",
    plants: "cells of Postgres give their memory back before anybody read them",
    file: "connectors/postgres/rows/page-cells.ts",
    find: "    const { bytes, piece, starts, ends, flags } = written;\n",
    replace:
      "    const { bytes, piece, starts, ends, flags } = written;\n    memory.giveBack(piece);\n",
    test: "test/connectors/postgres/page-memory.test.ts",
    title: "keeps the cells of a page while others use memory that was given back",
  }),
];
