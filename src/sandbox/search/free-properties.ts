import { int32Max } from "../limits.ts";

/** Reads a record's free attributes as the types that the search knows: a value of another type counts as absent. */
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

  /** A 32-bit integer: a result has no other integers (published). */
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
