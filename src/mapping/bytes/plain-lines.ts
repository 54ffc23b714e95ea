import {
  absentCell,
  doubledQuote,
  notAscii,
  notText,
  nullCell,
  numberCell,
  otherCell,
  type Cells,
} from "../../records/cells.ts";
import type { JsonlWriter } from "../../records/jsonl.ts";
import { booleans } from "../coerce.ts";
import { bindPlan } from "./bind.ts";
import type { BoundField, BoundPart, BoundPlan, ColumnPlace } from "./bind.ts";
import { trimmed } from "./blanks.ts";
import { escapedBytesMax } from "./escapes.ts";
import { LineBytes } from "./line-bytes.ts";
import {
  isPlainDate,
  isPlainDateTime,
  isPlainDomain,
  isPlainEmail,
  isPlainInteger,
  plainBareEnd,
  plainNumberEnd,
  type Cell,
} from "./plain.ts";
import type { RecordPlan } from "./plan.ts";

const quote = 0x22;
const closeBrace = 0x7d;
const lineFeed = 0x0a;
const [yes, no] = [Buffer.from("true"), Buffer.from("false")];
const emptyText = Buffer.from('""');
const nullJson = Buffer.from("null");
const booleanCharsMax = 5;

/** Bytes of a row above which it is an object, so that no room is made for what it might become. */
const rowBytesMax = 64 * 1024;

const noCells: Cells = {
  columns: [],
  count: 0,
  bytes: Buffer.alloc(0),
  starts: new Int32Array(0),
  ends: new Int32Array(0),
  flags: new Uint8Array(0),
  quote,
  row: () => ({}),
};

/**
 * Writes the lines of plain rows from their cells. What it is not certain of it leaves to objects, row by row: it
 * refuses nothing, and never writes what they would not.
 */
export class PlainLines {
  readonly #plan: RecordPlan;
  readonly #lines: JsonlWriter;
  readonly #out = new LineBytes();
  #bound: BoundPlan;
  #cells = noCells;
  /** The place of the row's first cell. */
  #first = 0;

  constructor(plan: RecordPlan, lines: JsonlWriter) {
    this.#plan = plan;
    this.#lines = lines;
    this.#bound = bindPlan(plan, noCells.columns);
  }

  /** Writes the line of a row and answers its key; undefined is of a row that needs an object, and writes nothing. */
  write(cells: Cells, row: number): string | undefined {
    if (!this.#begin(cells, row)) return undefined;
    const { head, texts, key, middle, properties } = this.#bound;
    const out = this.#out;
    let [keyFrom, keyTo] = [0, 0];
    out.put(head);
    for (let index = 0; index < texts.length; index += 1) {
      const field = texts[index];
      const before = out.at;
      if (field === undefined || !this.#field(field, 0)) return undefined;
      if (index !== key) continue;
      keyFrom = before + field.member.length + 1;
      keyTo = out.at - 1;
    }
    out.put(middle);
    const first = out.at;
    for (const field of properties) {
      if (!this.#field(field, out.at === first ? 1 : 0)) return undefined;
    }
    out.byte(closeBrace);
    out.byte(closeBrace);
    out.byte(lineFeed);
    this.#lines.end = out.at;
    const json = out.textOf(keyFrom, keyTo);
    return json.includes("\\") ? String(JSON.parse(`"${json}"`)) : json;
  }

  #begin(cells: Cells, row: number): boolean {
    const { columns, starts, ends, sizes } = cells;
    if (columns !== this.#cells.columns) this.#bound = bindPlan(this.#plan, columns);
    this.#cells = cells;
    this.#first = row * columns.length;
    const last = this.#first + columns.length - 1;
    const bytes = sizes?.[row] ?? (ends[last] ?? 0) - (starts[this.#first] ?? 0);
    if (bytes < 0 || bytes > rowBytesMax) return false;
    const { bytesMax, reads } = this.#bound;
    this.#lines.makeRoom(bytesMax + reads * bytes * escapedBytesMax);
    this.#out.begin(this.#lines.bytes, this.#lines.end);
    return true;
  }

  /**
   * Writes a field, its member's name from `skipped` bytes on, or nothing where it is left out; false where only an
   * object can say what it becomes.
   */
  #field(field: BoundField, skipped: number): boolean {
    const { column, constant, member, template } = field;
    if (constant !== undefined) return this.#constant(member, constant, skipped);
    if (template !== undefined) return this.#template(field, template, skipped);
    if (column === -1) return this.#absent(field, skipped);
    const { bytes, starts, ends, flags } = this.#cells;
    const cell = this.#first + column;
    let from = starts[cell] ?? 0;
    let to = ends[cell] ?? 0;
    const flag = flags[cell] ?? 0;
    if ((flag & notText) !== 0) return this.#noText(field, { from, to, flags: flag }, skipped);
    if (field.isTrimmed && from < to && !(isMark(bytes[from]) && isMark(bytes[to - 1]))) {
      const text = trimmed(bytes, from, to);
      if (text === undefined) return false;
      ({ from, to } = text);
    }
    if (from === to) return this.#empty(field, emptyText, skipped);
    // Whatever the quote is: only a text that is written as it came may hold it twice.
    if (field.isTrimmed && (flag & doubledQuote) !== 0) return false;
    this.#out.put(member, skipped);
    return this.#value(field, { from, to, flags: flag });
  }

  #constant(member: Buffer, json: Buffer, skipped: number): boolean {
    this.#out.put(member, skipped);
    this.#out.put(json);
    return true;
  }

  /** Writes what becomes of an empty value, which is `kept` as it is; undefined is of none at all. */
  #empty({ member, whenEmpty }: BoundField, kept: Buffer | undefined, skipped: number): boolean {
    if (whenEmpty === "omit") return true;
    if (whenEmpty === "keep") return kept === undefined || this.#constant(member, kept, skipped);
    return whenEmpty !== "object" && this.#constant(member, whenEmpty, skipped);
  }

  #absent(field: BoundField, skipped: number): boolean {
    return !this.#mayHoldMember(field) && this.#empty(field, undefined, skipped);
  }

  /** Whether a column that is no cell may be a member of one, or lead into a number of too many digits. */
  #mayHoldMember({ outer }: ColumnPlace): boolean {
    const flags = outer === -1 ? 0 : (this.#cells.flags[this.#first + outer] ?? 0);
    return (flags & (otherCell | numberCell)) !== 0;
  }

  #noText(field: BoundField, cell: Cell, skipped: number): boolean {
    const { flags } = cell;
    if ((flags & absentCell) !== 0) return this.#absent(field, skipped);
    if ((flags & nullCell) !== 0) return this.#empty(field, nullJson, skipped);
    const { from } = cell;
    const to = plainBareEnd(this.#cells.bytes, cell);
    if (to === -1) return false;
    this.#out.put(field.member, skipped);
    switch (field.kind) {
      case "any":
        return !field.isText && this.#digits(from, to);
      case "string":
        this.#out.byte(quote);
        this.#digits(from, to);
        this.#out.byte(quote);
        return true;
      case "integer":
        return isPlainInteger(this.#cells.bytes, from, to) && this.#digits(from, to);
      case "number":
        return (flags & numberCell) !== 0 && this.#digits(from, to);
      case "boolean":
        return this.#boolean(from, to);
      case "date":
      case "datetime":
      case "domain":
      case "email":
      default:
        return false;
    }
  }

  #value({ kind, isLowercase }: BoundField, cell: Cell): boolean {
    const { bytes } = this.#cells;
    const { from, to } = cell;
    switch (kind) {
      case "any":
      case "string":
        return this.#text(cell, isLowercase);
      case "domain":
        return isPlainDomain(bytes, from, to) && this.#text(cell, false);
      case "email":
        return isPlainEmail(bytes, from, to) && this.#text(cell, isLowercase);
      case "date":
        return isPlainDate(bytes, from, to) && this.#text(cell, false);
      case "datetime":
        return isPlainDateTime(bytes, from, to) && this.#text(cell, false);
      case "integer":
        return isPlainInteger(bytes, from, to) && this.#digits(from, to);
      case "number":
        return this.#digits(from, plainNumberEnd(bytes, from, to));
      case "boolean":
      default:
        return this.#boolean(from, to);
    }
  }

  #digits(from: number, to: number): boolean {
    if (to === -1) return false;
    this.#out.range(this.#cells.bytes, from, to);
    return true;
  }

  #boolean(from: number, to: number): boolean {
    if (to - from > booleanCharsMax) return false;
    const value = booleans.get(this.#cells.bytes.toString("latin1", from, to).toLowerCase());
    if (value !== undefined) this.#out.put(value ? yes : no);
    return value !== undefined;
  }

  #text(cell: Cell, isLowercase: boolean): boolean {
    this.#out.byte(quote);
    if (!this.#inner(cell, isLowercase)) return false;
    this.#out.byte(quote);
    return true;
  }

  /** Writes the text of a cell as JSON writes it between quotes. */
  #inner({ from, to, flags }: Cell, isLowercase: boolean): boolean {
    const { bytes, quote: doubled } = this.#cells;
    const isDoubled = (flags & doubledQuote) !== 0;
    if (!isLowercase && !isDoubled) {
      for (let next = from; next < to;) {
        next = this.#out.plainText(bytes, next, to);
        if (next < to) this.#out.textByte(bytes[next++] ?? 0);
      }
      return true;
    }
    if (isLowercase && (flags & notAscii) !== 0) return false;
    for (let next = from; next < to; next += 1) {
      const byte = bytes[next] ?? 0;
      if (isDoubled && byte === doubled) next += 1;
      this.#out.textByte(isLowercase && byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte);
    }
    return true;
  }

  /** Fills in a template; it is empty where all its columns are. */
  #template(field: BoundField, template: readonly BoundPart[], skipped: number): boolean {
    const { starts, ends, flags } = this.#cells;
    const before = this.#out.at;
    this.#out.put(field.member, skipped);
    this.#out.byte(quote);
    let isEmpty = true;
    for (const part of template) {
      if ("text" in part) {
        this.#out.put(part.text);
        continue;
      }
      const cell = this.#first + part.column;
      const flag = part.column === -1 ? absentCell : (flags[cell] ?? 0);
      if ((flag & absentCell) !== 0 && this.#mayHoldMember(part)) return false;
      if ((flag & (absentCell | nullCell)) !== 0) continue;
      const [from, to] = [starts[cell] ?? 0, ends[cell] ?? 0];
      // What only the object tells may have no bytes.
      if (from === to && (flag & otherCell) === 0) continue;
      isEmpty = false;
      if (!this.#filled({ from, to, flags: flag })) return false;
    }
    if (isEmpty) {
      this.#out.at = before;
      return this.#empty(field, emptyText, skipped);
    }
    this.#out.byte(quote);
    return true;
  }

  /** Writes what a template makes of a cell that is not empty. */
  #filled(cell: Cell): boolean {
    if ((cell.flags & notText) === 0) return this.#inner(cell, false);
    return this.#digits(cell.from, plainBareEnd(this.#cells.bytes, cell));
  }
}

/** Whether a byte is of ASCII and no blank. */
function isMark(byte: number | undefined): boolean {
  return byte !== undefined && byte > 0x20 && byte < 0x7f;
}
