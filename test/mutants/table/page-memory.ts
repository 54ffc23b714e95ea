import { planting, type Mutant } from "../mutant.ts";

const mutant = planting({
  file: "test/connectors/csv/plain-lines.test.ts",
  title: "keeps the cells of a page while others use memory that was given back",
});

const pageCells = "connectors/csv/parse/page-cells.ts";

/** Pages whose memory another one uses too early. */
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
    replace:
      "    this.#length = 0;\n    this.#memory.giveBack(bytes);\n    this.#bytes = noMemory;",
  }),
  mutant({
    id: "S763",
    plants: "a page's memory is taken back while its rejects are noted",
    file: "src/pipeline/chunk.ts",
    find: "      yield { page, counts: this.#counts };\n      page.release?.();",
    replace: "      page.release?.();\n      yield { page, counts: this.#counts };",
    test: "test/src/pipeline/chunk.test.ts",
    title: "takes the memory of a page back, once, when nobody reads it any more",
  }),
];
