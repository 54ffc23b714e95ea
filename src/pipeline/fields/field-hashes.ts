import { shapeOf, type Stream } from "../../records/streams.ts";
import type { FieldHashes } from "../../state/contract/keys/fingerprints.ts";
import { fieldHashBytes } from "../../state/contract/keys/known-records.ts";
import { fieldSlotsMax } from "../../state/limits.ts";
import { LineFields } from "./line-fields.ts";

/** Takes names of fields that are new, answers all that have a slot, in the order of the slots. */
type AddFields = (names: readonly string[]) => Promise<readonly string[]>;

// FNV-1a over the JSON of the value, in which "1" differs from 1. It only tells a person which field changed:
// whether one did is decided by sha256. zlib's crc32 takes longer to call than such texts to hash.
const seed = 0x811c9dc5;
const prime = 0x01000193;

/** A field's hash: 32 bits, and never the 0 that stands for a field which is not there. */
function fieldHash(line: Uint8Array, { valueFrom, valueTo }: LineFields): number {
  let hash = seed;
  for (let index = valueFrom; index < valueTo; index += 1) {
    hash = Math.imul(hash ^ (line[index] ?? 0), prime);
  }
  return hash >>> 0 || 1;
}

/** The path of a field whose name is as JSON writes it. */
function pathOf(json: string, prefix: string): string {
  return prefix + (json.includes("\\") ? String(JSON.parse(`"${json}"`)) : json);
}

/** What stands before the name of a property in its path. */
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

/** A field that has a slot; its name as JSON writes it. */
type Slot = { readonly name: Buffer; readonly isProperty: boolean };

/** Fields after the last one found that are looked at by their bytes: some records lack some fields. */
const nearMax = 8;

/**
 * Hashes the fields of lines for the store. A field gets its slot when it first occurs; those beyond
 * `fieldSlotsMax` are left out.
 */
export class FieldHasher {
  readonly #stream: Stream;
  readonly #fields: LineFields;
  readonly #addFields: AddFields;
  /** Slots of fields, and of properties by their own names. */
  readonly #texts = new Map<string, number>();
  readonly #properties = new Map<string, number>();
  #slots: readonly Slot[] | undefined;
  #names: readonly string[] = [];

  constructor(stream: Stream, addFields: AddFields) {
    this.#stream = stream;
    this.#fields = new LineFields(stream);
    this.#addFields = addFields;
  }

  async hash(lines: readonly Uint8Array[]): Promise<FieldHashes> {
    if (this.#slots === undefined) await this.#learn([]);
    const { hashes, unknown } = this.#hash(lines);
    if (unknown.size === 0) return hashes;
    await this.#learn([...unknown]);
    return this.#hash(lines).hashes;
  }

  /** The path of the field in a slot. */
  nameOf(slot: number): string {
    return this.#names[slot] ?? "";
  }

  async #learn(names: readonly string[]): Promise<void> {
    this.#names = await this.#addFields(names);
    const prefix = prefixOf(this.#stream);
    this.#slots = this.#names.map((path, slot) => {
      const isProperty = path.startsWith(prefix);
      const name = JSON.stringify(isProperty ? path.slice(prefix.length) : path).slice(1, -1);
      (isProperty ? this.#properties : this.#texts).set(name, slot);
      return { name: Buffer.from(name), isProperty };
    });
  }

  /** The hashes, and the names that have no slot yet: none once all slots are taken. */
  #hash(lines: readonly Uint8Array[]): {
    readonly hashes: FieldHashes;
    readonly unknown: ReadonlySet<string>;
  } {
    const slots = this.#slots?.length ?? 0;
    const hashes = new Uint32Array(lines.length * slots);
    const unknown = new Set<string>();
    const fields = this.#fields;
    let at = 0;
    for (const line of lines) {
      fields.begin(line);
      for (let last = -1; fields.next();) {
        const slot = this.#slotAfter(last);
        if (slot !== undefined) {
          hashes[at + slot] = fieldHash(line, fields);
          last = slot;
        } else if (slots + unknown.size < fieldSlotsMax) {
          unknown.add(pathOf(fields.name(), fields.isProperty ? prefixOf(this.#stream) : ""));
        }
      }
      at += slots;
    }
    const bytes = new Uint8Array(hashes.buffer);
    return { hashes: { fieldBytes: slots * fieldHashBytes, hashes: bytes }, unknown };
  }

  /** The slot of the field at hand: most often a few after that of the one before it, so that no text is made. */
  #slotAfter(last: number): number | undefined {
    const fields = this.#fields;
    const slots = this.#slots ?? [];
    const end = Math.min(slots.length, last + 1 + nearMax);
    for (let slot = last + 1; slot < end; slot += 1) {
      const near = slots[slot];
      if (near?.isProperty === fields.isProperty && fields.isNamed(near.name)) return slot;
    }
    return (fields.isProperty ? this.#properties : this.#texts).get(fields.name());
  }
}
