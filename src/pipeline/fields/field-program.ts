import { aligned, makeMemory, type WasmMemory, WasmProgram } from "../../wasm/program.ts";

/** What wasm/fields/index.ts exports; addresses and sizes in bytes. */
type FieldProgram = {
  readonly memory: WasmMemory;
  heapAt(): number;
  setNames(slots: number, slotCount: number, texts: number, textCount: number): void;
  hashFields(places: number, count: number, out: number, isUnknownLeftOut: boolean): number;
};

const program = new WasmProgram<FieldProgram>(new URL("./fields.wasm", import.meta.url));

const wordBytes = Uint32Array.BYTES_PER_ELEMENT;

/** Bytes after lines and names that may be read, but are never used. */
const spareBytes = 16;

/** Numbers per name: where it is, how long it is, whether it is a property's. */
const nameWords = 3;

/** Lines in one piece of memory, and where each of them begins and ends. */
export type LineBlock = { readonly bytes: Uint8Array; readonly places: Uint32Array };

/** A line in memory of its own. */
export function blockOfLine(line: Uint8Array): LineBlock {
  return { bytes: line, places: Uint32Array.of(0, line.length) };
}

/** A field's own name, as JSON writes it. */
export type FieldName = { readonly name: Uint8Array; readonly isProperty: boolean };

/** Which fields have slots, and where properties are found. */
export type FieldNames = {
  readonly slots: readonly FieldName[];
  /** The fields beside the properties that have hashes at all. */
  readonly texts: readonly Uint8Array[];
  readonly properties: Uint8Array;
  /** Whether a field without a slot is left out. */
  readonly isUnknownLeftOut: boolean;
};

/** Writes the names from `at` on, and returns where they end. */
function putNames(fields: FieldProgram, names: FieldNames, at: number): number {
  const texts = [...names.texts, names.properties].map((name) => ({ name, isProperty: false }));
  const all = [...names.slots, ...texts];
  const textsAt = at + all.length * nameWords * wordBytes;
  const end = all.reduce((sum, { name }) => sum + name.length, textsAt);
  makeMemory(fields.memory, end);
  const memory = new Uint8Array(fields.memory.buffer);
  const words = new Uint32Array(fields.memory.buffer, at, all.length * nameWords);
  let to = textsAt;
  for (const [index, { name, isProperty }] of all.entries()) {
    memory.set(name, to);
    words.set([to, name.length, Number(isProperty)], index * nameWords);
    to += name.length;
  }
  const slotsBytes = names.slots.length * nameWords * wordBytes;
  fields.setNames(at, names.slots.length, at + slotsBytes, names.texts.length);
  return aligned(end);
}

/** Hashes the fields of a block into `out`; false if a line has a field without a slot. */
function hashBlock(
  fields: FieldProgram,
  { bytes, places }: LineBlock,
  how: { readonly at: number; readonly out: Uint32Array; readonly isUnknownLeftOut: boolean },
): boolean {
  const count = places.length / 2;
  const [from, to] = [places[0] ?? 0, places.at(-1) ?? 0];
  const linesAt = how.at + places.byteLength;
  const outAt = aligned(linesAt + to - from);
  makeMemory(fields.memory, outAt + how.out.byteLength + spareBytes);
  const { buffer } = fields.memory;
  new Uint8Array(buffer).set(bytes.subarray(from, to), linesAt);
  const moved = new Uint32Array(buffer, how.at, places.length);
  for (let index = 0; index < places.length; index += 1) {
    moved[index] = (places[index] ?? 0) - from + linesAt;
  }
  if (fields.hashFields(how.at, count, outAt, how.isUnknownLeftOut) < count) return false;
  how.out.set(new Uint32Array(buffer, outAt, how.out.length));
  return true;
}

/**
 * Hashes the fields of lines: a number for each slot of each line, 0 where the line has no such field. Undefined if a
 * line has a field without a slot, unless such fields are left out.
 */
export function hashFields(
  blocks: readonly LineBlock[],
  names: FieldNames,
): Uint32Array | undefined {
  const fields = program.take();
  const hashes = hashWith(fields, blocks, names);
  program.giveBack(fields);
  return hashes;
}

function hashWith(
  fields: FieldProgram,
  blocks: readonly LineBlock[],
  names: FieldNames,
): Uint32Array | undefined {
  const slots = names.slots.length;
  const count = blocks.reduce((sum, { places }) => sum + places.length / 2, 0);
  const hashes = new Uint32Array(count * slots);
  const at = putNames(fields, names, fields.heapAt());
  let done = 0;
  for (const block of blocks) {
    const to = done + (block.places.length / 2) * slots;
    const { isUnknownLeftOut } = names;
    const out = hashes.subarray(done, to);
    if (!hashBlock(fields, block, { at, out, isUnknownLeftOut })) return undefined;
    done = to;
  }
  return hashes;
}
