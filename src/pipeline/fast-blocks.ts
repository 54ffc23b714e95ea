import { PageMemory } from "../records/page-memory.ts";
import { WasmProgram, type WasmMemory } from "../wasm/program.ts";
import type { Blocks, BlockSink } from "./blocks.ts";

/** What wasm/deflate/index.ts exports; addresses and sizes in bytes. */
type Compressor = {
  readonly memory: WasmMemory;
  inputAt(): number;
  inputSize(): number;
  outputAt(): number;
  reset(): void;
  deflate(end: number): number;
};

/** Memory of written blocks, of any file. */
const copies = new PageMemory();

const program = new WasmProgram<Compressor>(new URL("./deflate.wasm", import.meta.url));

function takeCompressor(): Compressor {
  const compressor = program.take();
  compressor.reset();
  return compressor;
}

/**
 * Deflates blocks with our own compressor, in this thread: 256 KiB at a time, in about 0.5 ms. Blocks may refer to
 * earlier ones.
 */
export function createFastBlocks(sink: BlockSink): Blocks {
  const compressor = takeCompressor();
  const memory = Buffer.from(compressor.memory.buffer);
  const input = memory.subarray(
    compressor.inputAt(),
    compressor.inputAt() + compressor.inputSize(),
  );
  // The bytes between them are not deflated yet.
  let [from, to] = [0, 0];
  let last = Promise.resolve();
  const deflateBlock = (): void => {
    sink.seen(input.subarray(from, to));
    const end = compressor.deflate(compressor.inputAt() + to);
    from = to === input.length ? 0 : to;
    to = from;
    // A copy, because the next block comes while this one is written.
    const bytes = end - compressor.outputAt();
    const piece = copies.take(bytes);
    memory.copy(piece, 0, compressor.outputAt(), end);
    last = sink.append(piece.subarray(0, bytes)).then(() => copies.giveBack(piece));
    last.catch(() => undefined); // awaited in `add` or `flush`; until then a failure must not end the process
  };
  return {
    add: async (jsonl) => {
      for (let taken = 0; taken < jsonl.length;) {
        const bytes = jsonl.copy(input, to, taken);
        [taken, to] = [taken + bytes, to + bytes];
        if (to < input.length) continue;
        const before = last;
        deflateBlock();
        await before;
      }
    },
    bytesAhead: () => to - from,
    flush: async () => {
      if (to > from) deflateBlock();
      await last;
    },
    close: () => program.giveBack(compressor),
  };
}
