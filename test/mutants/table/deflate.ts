import { planting, type Mutant } from "../mutant.ts";

const mutant = planting({
  file: "test/src/pipeline/fast-blocks.test.ts",
  title: "is the same to every reader",
});

const finder = "wasm/deflate/index.ts";
const blocks = "src/pipeline/fast-blocks.ts";

/** Files that some reader reads differently from how they were written, or not at all. */
export const mutantsOfDeflate: readonly Mutant[] = [
  mutant({
    id: "S741",
    plants: "a match may begin 32,769 bytes before it",
    file: finder,
    find: "distance <= <u32>WINDOW",
    replace: "distance <= <u32>WINDOW + 1",
    title: "is the same to every reader: the same a byte farther",
  }),
  mutant({
    id: "S1408",
    plants: "the second of three places is taken for the first",
    file: finder,
    find: "distanceOf((bytes >> 8) << KEY_SHIFT, ++at)",
    replace: "distanceOf(bytes << KEY_SHIFT, ++at)",
    title: "gives back whatever it is given, in whatever pieces",
  }),
  mutant({
    id: "S1409",
    plants: "a match that ends in its second 16 bytes is a byte too long",
    file: finder,
    find: "let to = at + same;",
    replace: "let to = at + same + (same > 16 && same < 32 ? 1 : 0);",
    title: "gives back whatever it is given, in whatever pieces",
  }),
  mutant({
    id: "S742",
    plants: "a match reaches back into the file that was written before",
    file: finder,
    find: "min<usize>(at - least, at - distance - oldest)",
    replace: "at - least",
    title: "knows nothing of the file before",
  }),
  mutant({
    id: "S743",
    plants: "codes that were too long are cut, and then there are more than fit",
    file: "wasm/deflate/huffman.ts",
    find: "  fitDepths(limit);\n",
    replace: "",
    title: "is the same to every reader: a code that would be too long",
  }),
  mutant({
    id: "S744",
    plants: "the window that an area begins with is a byte too old",
    file: finder,
    find: "memory.copy(INPUT - WINDOW, end - WINDOW, WINDOW);",
    replace: "memory.copy(INPUT - WINDOW, end - WINDOW - 1, WINDOW);",
    title: "refers from each area to the one before",
  }),
  mutant({
    id: "S745",
    plants: "a long match is cut so that two bytes are left, which no match has",
    file: finder,
    find: "min<u32>(MATCH_MAX, left - 3)",
    replace: "MATCH_MAX",
    title: "cuts a match of 260 bytes as the format asks",
  }),
  mutant({
    id: "S746",
    plants: "a stored block holds a byte more than its length can say",
    file: "wasm/deflate/block.ts",
    find: "const STORED_MAX: usize = 65_535;",
    replace: "const STORED_MAX: usize = 65_536;",
    title: "is the same to every reader: 65537 bytes of noise",
  }),
  mutant({
    id: "S747",
    plants: "the next block is deflated over one that is still to be written",
    file: blocks,
    find: "sink.append(piece.subarray(0, bytes))",
    replace: "sink.append(memory.subarray(compressor.outputAt(), end))",
    title: "keeps what a slow disk has not taken yet",
  }),
  mutant({
    id: "S748",
    plants: "a compressor remembers the places of the file before",
    file: finder,
    find: "  memory.fill(PLACES, 0, 2 << PLACE_BITS);\n",
    replace: "",
    title: "gives the same bytes whatever was written before",
  }),
  mutant({
    id: "S749",
    plants: "every level is the fastest",
    file: "src/pipeline/gzip.ts",
    find: "level === fastLevel ?",
    replace: "level >= fastLevel ?",
    title: "the other levels are zlib's, whose files are smaller",
  }),
  mutant({
    id: "S750",
    plants: "what codes make larger is not stored as it is",
    file: "wasm/deflate/block.ts",
    find: ">= (<u64>storedBytes) << 3",
    replace: ">= (<u64>storedBytes) << 4",
    title: "has the longest matches, from as far as the format goes",
  }),
  mutant({
    id: "S751",
    plants: "the fixed codes are made without the two symbols that nothing has",
    file: "wasm/deflate/block.ts",
    find: "makeCodes(CODE_LENGTHS, 288, SYMBOL_CODES);",
    replace: "makeCodes(CODE_LENGTHS, 286, SYMBOL_CODES);",
    title: "gives back whatever it is given, in whatever pieces",
  }),
];
