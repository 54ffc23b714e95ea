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

  /** A number without a fraction. */
  integer(name: string): number | undefined {
    const value = this.number(name);
    return Number.isInteger(value) ? value : undefined;
  }

  /** True or false. */
  flag(name: string): boolean | undefined {
    const value = this.#given[name];
    return typeof value === "boolean" ? value : undefined;
  }
}
