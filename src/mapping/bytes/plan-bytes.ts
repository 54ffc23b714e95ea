import type { BoundField, BoundPart, BoundPlan } from "./bind.ts";

/** Numbered as in wasm/lines/plan.ts. */
const kinds = {
  any: 0,
  boolean: 1,
  date: 2,
  datetime: 3,
  domain: 4,
  email: 5,
  integer: 6,
  number: 7,
  string: 8,
} as const satisfies Record<BoundField["kind"], number>;

const whenEmpty = { omit: 0, keep: 1, constant: 2, object: 3 } as const;

const wordBytes = Uint32Array.BYTES_PER_ELEMENT;

/** Words of a plan before its fields, of a field, and of a part of a template. */
const [planWords, fieldWords, partWords] = [10, 15, 4];

/** Bytes after a text that may be read, but are never used. */
const spareBytes = 16;

/** Writes plans as wasm/lines/plan.ts reads them. */
class PlanWriter {
  readonly #bytes: Buffer;
  readonly #address: number;
  /** Where the next words go, and where, after all words, the next text goes. */
  #word = 0;
  #text: number;

  constructor(words: number, texts: number, address: number) {
    this.#text = words * wordBytes;
    this.#bytes = Buffer.alloc(this.#text + texts + spareBytes);
    this.#address = address;
  }

  get bytes(): Buffer {
    return this.#bytes;
  }

  word(value: number): void {
    this.#word = this.#bytes.writeInt32LE(value, this.#word);
  }

  /** Writes where a text is, and how long it is; 0 for none. */
  text(text: Uint8Array | undefined): void {
    this.word(text === undefined ? 0 : this.#address + this.#text);
    this.word(text?.length ?? 0);
    if (text === undefined) return;
    this.#bytes.set(text, this.#text);
    this.#text += text.length;
  }

  /** `parts` is the word at which the parts of its template begin. */
  field(field: BoundField, parts: number): void {
    const { column, outer, kind, isText, isTrimmed, isLowercase, member, constant, template } =
      field;
    const empty = field.whenEmpty;
    for (const word of [column, outer, kinds[kind]]) this.word(word);
    for (const claim of [isText, isTrimmed, isLowercase]) this.word(claim ? 1 : 0);
    this.word(typeof empty === "string" ? whenEmpty[empty] : whenEmpty.constant);
    this.text(typeof empty === "string" ? undefined : empty);
    this.text(member);
    this.text(constant);
    this.word(template === undefined ? 0 : this.#address + parts * wordBytes);
    this.word(template?.length ?? 0);
  }

  part(part: BoundPart): void {
    const isFixed = "text" in part;
    this.text(isFixed ? part.text : undefined);
    this.word(isFixed ? -1 : part.column);
    this.word(isFixed ? -1 : part.outer);
  }
}

function textBytesOf({ member, constant, whenEmpty: empty, template }: BoundField): number {
  const parts = (template ?? []).map((part) => ("text" in part ? part.text.length : 0));
  const fixed = (constant?.length ?? 0) + (typeof empty === "string" ? 0 : empty.length);
  return parts.reduce((sum, bytes) => sum + bytes, member.length + fixed);
}

/** The bytes of a plan for rows of this many columns, to be placed at an address. */
export function planBytes(plan: BoundPlan, columns: number, address: number): Buffer {
  const { head, middle, texts, properties, key, bytesMax, reads } = plan;
  const fields = [...texts, ...properties];
  const partsAt = planWords + fields.length * fieldWords;
  const parts = fields.flatMap(({ template }) => template ?? []);
  const textBytes = fields.reduce((sum, field) => sum + textBytesOf(field), 0);
  const writer = new PlanWriter(
    partsAt + parts.length * partWords,
    head.length + middle.length + textBytes,
    address,
  );
  writer.text(head);
  writer.text(middle);
  for (const word of [texts.length, properties.length, key, columns, bytesMax, reads]) {
    writer.word(word);
  }
  let at = partsAt;
  for (const field of fields) {
    writer.field(field, at);
    at += (field.template?.length ?? 0) * partWords;
  }
  for (const part of parts) writer.part(part);
  return writer.bytes;
}
