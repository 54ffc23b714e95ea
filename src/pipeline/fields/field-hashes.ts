import { shapeOf, type Stream } from "../../records/streams.ts";
import type { FieldHashes } from "../../state/contract/keys/fingerprints.ts";
import { fieldHashBytes } from "../../state/contract/keys/known-records.ts";
import { fieldSlotsMax } from "../../state/limits.ts";
import { type FieldName, hashFields, type LineBlock } from "./field-program.ts";
import { LineFields, namesBeside } from "./line-fields.ts";

/** Lines that are searched for fields without a slot before all lines are: usually all lines have the same fields. */
const sampleLines = 256;

/** Takes the names of new fields; returns the names of all that have a slot, in the order of the slots. */
type AddFields = (names: readonly string[]) => Promise<readonly string[]>;

// FNV-1a over the JSON of the value, in which "1" differs from 1. It only shows a person which field changed: sha256
// decides whether one did. wasm/fields/index.ts computes the same.
const seed = 0x811c9dc5;
const prime = 0x01000193;

/** A field's hash: 32 bits, and never 0, which means that the field is missing. */
function fieldHash(line: Uint8Array, { valueFrom, valueTo }: LineFields): number {
  let hash = seed;
  for (let index = valueFrom; index < valueTo; index += 1) {
    hash = Math.imul(hash ^ (line[index] ?? 0), prime);
  }
  return hash >>> 0 || 1;
}

/** The path of a field, whose name is given as JSON writes it. */
function pathOf(json: string, prefix: string): string {
  return prefix + (json.includes("\\") ? String(JSON.parse(`"${json}"`)) : json);
}

/** The part of a property's path before its name. */
function prefixOf(stream: Stream): string {
  return `${shapeOf(stream).propertiesField}.`;
}

/** The hashes of a line's fields by their paths, such as "account_properties.name". */
export function fieldHashesOf(line: Uint8Array, stream: Stream): ReadonlyMap<string, number> {
  const hashes = new Map<string, number>();
  const fields = new LineFields(stream);
  fields.begin(line);
  while (fields.next()) {
    const path = pathOf(fields.name(), fields.isProperty ? prefixOf(stream) : "");
    hashes.set(path, fieldHash(line, fields));
  }
  return hashes;
}

/** The values of a line's fields, as JSON, by their paths. */
export function fieldTextsOf(line: Uint8Array, stream: Stream): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  const fields = new LineFields(stream);
  fields.begin(line);
  while (fields.next()) {
    const path = pathOf(fields.name(), fields.isProperty ? prefixOf(stream) : "");
    texts.set(path, Buffer.from(line.subarray(fields.valueFrom, fields.valueTo)).toString());
  }
  return texts;
}

/**
 * Hashes the fields of lines for the store. A field gets its slot when it first occurs; fields beyond `fieldSlotsMax`
 * are left out.
 */
export class FieldHasher {
  readonly #stream: Stream;
  readonly #addFields: AddFields;
  #slots: readonly FieldName[] | undefined;
  #names: readonly string[] = [];

  constructor(stream: Stream, addFields: AddFields) {
    this.#stream = stream;
    this.#addFields = addFields;
  }

  async hash(blocks: readonly LineBlock[]): Promise<FieldHashes> {
    let slots = this.#slots ?? (await this.#learn([]));
    let hashes = this.#hash(blocks, slots, { isUnknownLeftOut: slots.length >= fieldSlotsMax });
    for (const lines of [sampleLines, Infinity]) {
      if (hashes !== undefined) break;
      slots = await this.#learn(this.#unknownOf(blocks, lines));
      const isUnknownLeftOut = lines === Infinity || slots.length >= fieldSlotsMax;
      hashes = this.#hash(blocks, slots, { isUnknownLeftOut });
    }
    const { buffer } = hashes ?? new Uint32Array(0);
    return { fieldBytes: slots.length * fieldHashBytes, hashes: new Uint8Array(buffer) };
  }

  /** The path of the field in a slot. */
  nameOf(slot: number): string {
    return this.#names[slot] ?? "";
  }

  async #learn(names: readonly string[]): Promise<readonly FieldName[]> {
    this.#names = await this.#addFields(names);
    const prefix = prefixOf(this.#stream);
    this.#slots = this.#names.map((path) => {
      const isProperty = path.startsWith(prefix);
      const name = JSON.stringify(isProperty ? path.slice(prefix.length) : path).slice(1, -1);
      return { name: Buffer.from(name), isProperty };
    });
    return this.#slots;
  }

  #hash(
    blocks: readonly LineBlock[],
    slots: readonly FieldName[],
    { isUnknownLeftOut }: { readonly isUnknownLeftOut: boolean },
  ): Uint32Array | undefined {
    return hashFields(blocks, { slots, ...namesBeside(this.#stream), isUnknownLeftOut });
  }

  /** The fields without a slot, as many as there are slots left, in `lines` evenly spaced lines, or a few more. */
  #unknownOf(blocks: readonly LineBlock[], lines: number): readonly string[] {
    const all = blocks.reduce((sum, { places }) => sum + places.length / 2, 0);
    const step = 2 * Math.max(1, Math.floor(all / lines));
    const known = new Set(this.#names);
    const unknown = new Set<string>();
    const fields = new LineFields(this.#stream);
    const prefix = prefixOf(this.#stream);
    for (const { bytes, places } of blocks) {
      for (let at = 0; at < places.length; at += step) {
        fields.begin(bytes.subarray(places[at], places[at + 1]));
        while (fields.next() && known.size + unknown.size < fieldSlotsMax) {
          const path = pathOf(fields.name(), fields.isProperty ? prefix : "");
          if (!known.has(path)) unknown.add(path);
        }
      }
    }
    return [...unknown];
  }
}
