import { int32Max } from "../limits.ts";

/** The free attributes of a record, read as what the search knows: a value of another type counts as absent. */
export class FreeProperties {
  readonly #given: Readonly<Record<string, unknown>>;

  constructor(given: Readonly<Record<string, unknown>>) {
    this.#given = given;
  }

  /** A string, as it is. */
  text(name: string): string | undefined {
    const value = this.#given[name];
    return typeof value === "string" ? value : undefined;
  }

  /** Any number. */
  number(name: string): number | undefined {
    const value = this.#given[name];
    return typeof value === "number" ? value : undefined;
  }

  /** A number without a fraction, of 32 bits: a result has no others (published). */
  integer(name: string): number | undefined {
    const value = this.number(name);
    return value !== undefined && isInt32(value) ? value : undefined;
  }

  /** True or false. */
  flag(name: string): boolean | undefined {
    const value = this.#given[name];
    return typeof value === "boolean" ? value : undefined;
  }
}

function isInt32(value: number): boolean {
  return Number.isInteger(value) && value >= -int32Max - 1 && value <= int32Max;
}
