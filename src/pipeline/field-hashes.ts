import { fieldSlotsMax } from "../limits.ts";
import { isPlainObject } from "../records/json-value.ts";
import { shapeOf, type Stream, type StreamRecord } from "../records/streams.ts";
import type { FieldHashes } from "../state/contract/keys/fingerprints.ts";
import { fieldHashBytes } from "../state/contract/keys/known-records.ts";

/** Takes names of fields that are new, answers all that have a slot, in the order of the slots. */
type AddFields = (names: readonly string[]) => Promise<readonly string[]>;

// FNV-1a over the units of the text, seeded by the kind of value, so that "1" differs from 1. It only tells a person
// which field changed: whether one did is decided by sha256. zlib's crc32 takes longer to call than such texts to hash.
const textSeed = 0x811c9dc5;
const otherSeed = 0x1c9dc581;
const prime = 0x01000193;

/** A field's hash: 32 bits, and never the 0 that stands for a field which is not there. */
export function fieldHash(value: unknown): number {
  const isText = typeof value === "string";
  const text = isText ? value : typeof value === "number" ? String(value) : JSON.stringify(value);
  let hash = isText ? textSeed : otherSeed;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), prime);
  }
  return hash >>> 0 || 1;
}

/** Calls `each` with every field of a record but the key and the name of its stream, properties by their own name. */
function eachField(
  record: StreamRecord,
  stream: Stream,
  each: (name: string, value: unknown, isProperty: boolean) => void,
): void {
  const { textFields, keyField, propertiesField } = shapeOf(stream);
  for (const name of textFields) {
    const value = record[name];
    if (name !== keyField && value !== undefined) each(name, value, false);
  }
  const properties = record[propertiesField];
  if (!isPlainObject(properties)) return;
  // Not by entries or keys: what they are put into would take longer than the hashes.
  for (const name in properties) {
    if (!Object.hasOwn(properties, name)) continue;
    const value = properties[name];
    if (value !== undefined) each(name, value, true);
  }
}

/** The hashes of a record's fields by their paths, such as "account_properties.name". */
export function fieldHashesOf(record: StreamRecord, stream: Stream): ReadonlyMap<string, number> {
  const { propertiesField } = shapeOf(stream);
  const hashes = new Map<string, number>();
  eachField(record, stream, (name, value, isProperty) => {
    hashes.set(isProperty ? `${propertiesField}.${name}` : name, fieldHash(value));
  });
  return hashes;
}

/**
 * Hashes the fields of records for the store. A field gets its slot when it first occurs; those beyond
 * `fieldSlotsMax` are left out.
 */
export class FieldHasher {
  readonly #stream: Stream;
  readonly #addFields: AddFields;
  /** Slots of fields, and of properties by their own names, so that no path is put together for each row. */
  #texts = new Map<string, number>();
  #properties = new Map<string, number>();
  #slots: number | undefined;
  #names: readonly string[] = [];

  constructor(stream: Stream, addFields: AddFields) {
    this.#stream = stream;
    this.#addFields = addFields;
  }

  async hash(records: readonly StreamRecord[]): Promise<FieldHashes> {
    if (this.#slots === undefined) await this.#learn([]);
    const { hashes, unknown } = this.#hash(records);
    if (unknown.size === 0) return hashes;
    await this.#learn([...unknown]);
    return this.#hash(records).hashes;
  }

  /** The path of the field in a slot. */
  nameOf(slot: number): string {
    return this.#names[slot] ?? "";
  }

  async #learn(names: readonly string[]): Promise<void> {
    const all = await this.#addFields(names);
    const prefix = `${shapeOf(this.#stream).propertiesField}.`;
    for (const [slot, name] of all.entries()) {
      if (name.startsWith(prefix)) this.#properties.set(name.slice(prefix.length), slot);
      else this.#texts.set(name, slot);
    }
    this.#slots = all.length;
    this.#names = all;
  }

  /** The hashes, and the names that have no slot yet: none once all slots are taken. */
  #hash(records: readonly StreamRecord[]): {
    readonly hashes: FieldHashes;
    readonly unknown: ReadonlySet<string>;
  } {
    const slots = this.#slots ?? 0;
    const { propertiesField } = shapeOf(this.#stream);
    const hashes = new Uint32Array(records.length * slots);
    const unknown = new Set<string>();
    let at = 0;
    // One function for all records: one for each would be half of what is thrown away here.
    const put = (name: string, value: unknown, isProperty: boolean): void => {
      const slot = (isProperty ? this.#properties : this.#texts).get(name);
      if (slot !== undefined) hashes[at + slot] = fieldHash(value);
      else if (slots + unknown.size < fieldSlotsMax) {
        unknown.add(isProperty ? `${propertiesField}.${name}` : name);
      }
    };
    for (const record of records) {
      eachField(record, this.#stream, put);
      at += slots;
    }
    const bytes = new Uint8Array(hashes.buffer);
    return { hashes: { fieldBytes: slots * fieldHashBytes, hashes: bytes }, unknown };
  }
}
