import { shapeOf, type Stream } from "../../records/streams.ts";

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;

/** The index after the JSON text whose opening quote is at `at`. */
function textEnd(line: Uint8Array, at: number): number {
  let end = at + 1;
  while (end < line.length && line[end] !== quote) end += line[end] === backslash ? 2 : 1;
  return end + 1;
}

/** The index after the JSON value that begins at `at`. */
function valueEnd(line: Uint8Array, at: number): number {
  let end = at;
  let depth = 0;
  for (;;) {
    const byte = line[end];
    if (byte === undefined) return end;
    if (byte === quote) {
      end = textEnd(line, end);
      if (depth === 0) return end;
      continue;
    }
    if (byte === openBrace || byte === openBracket) depth += 1;
    else if (byte === closeBrace || byte === closeBracket) {
      // The end of the object or list that holds a number, true, false or null.
      if (depth === 0) return end;
      depth -= 1;
      if (depth === 0) return end + 1;
    } else if (byte === comma && depth === 0) return end;
    end += 1;
  }
}

/** The names of a stream's text fields other than its key, and of its properties field. */
export function namesBeside(stream: Stream): {
  readonly texts: readonly Buffer[];
  readonly properties: Buffer;
} {
  const { keyField, propertiesField, textFields } = shapeOf(stream);
  const texts = textFields.filter((name) => name !== keyField).map((name) => Buffer.from(name));
  return { texts, properties: Buffer.from(propertiesField) };
}

/**
 * Goes through the fields of a line that `JSON.stringify` wrote, without parsing it: all but the key and the name of
 * the stream, with the properties one by one.
 */
export class LineFields {
  /** Whether the field is one of the properties. */
  isProperty = false;
  /** Where its name begins between its quotes, as JSON writes it. */
  nameFrom = 0;
  nameTo = 0;
  /** Where its value begins, quotes included. */
  valueFrom = 0;
  valueTo = 0;
  #line: Uint8Array = new Uint8Array(0);
  #at = 0;
  readonly #texts: readonly Buffer[];
  readonly #properties: Buffer;

  constructor(stream: Stream) {
    const { texts, properties } = namesBeside(stream);
    this.#texts = texts;
    this.#properties = properties;
  }

  /** Begins with another line. */
  begin(line: Uint8Array): void {
    this.#line = line;
    this.#at = 1;
    this.isProperty = false;
  }

  /** Moves to the next field; false if there is none. */
  next(): boolean {
    const line = this.#line;
    while (this.#at < line.length) {
      if (line[this.#at] === comma) this.#at += 1;
      if (line[this.#at] === closeBrace) {
        if (!this.isProperty) return false;
        this.isProperty = false;
        this.#at += 1;
        continue;
      }
      this.nameFrom = this.#at + 1;
      this.nameTo = textEnd(line, this.#at) - 1;
      // The closing quote and the colon.
      this.valueFrom = this.nameTo + 2;
      if (
        !this.isProperty &&
        line[this.valueFrom] === openBrace &&
        this.isNamed(this.#properties)
      ) {
        this.isProperty = true;
        this.#at = this.valueFrom + 1;
        continue;
      }
      this.valueTo = valueEnd(line, this.valueFrom);
      this.#at = this.valueTo;
      if (this.isProperty || this.#texts.some((name) => this.isNamed(name))) return true;
    }
    return false;
  }

  /** Whether the field's name, as JSON writes it, is this one. */
  isNamed(name: Uint8Array): boolean {
    if (name.length !== this.nameTo - this.nameFrom) return false;
    for (let index = 0; index < name.length; index += 1) {
      if (this.#line[this.nameFrom + index] !== name[index]) return false;
    }
    return true;
  }

  /** The field's name as JSON writes it. */
  name(): string {
    return Buffer.from(this.#line.subarray(this.nameFrom, this.nameTo)).toString();
  }
}
