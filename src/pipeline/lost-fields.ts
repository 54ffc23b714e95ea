/** Counts the fields of a chunk that records had when last sent, but no longer have, for a person to see. */
export class LostFields {
  readonly #wanted: ReadonlySet<string> | undefined;
  readonly #counts = new Map<string, { records: number; readonly where: string }>();

  /**
   * @param wanted the fields that a record should have: fields that the mapping does not name are left out on purpose;
   * undefined for all.
   */
  constructor(wanted?: readonly string[]) {
    this.#wanted = wanted === undefined ? undefined : new Set(wanted);
  }

  add(field: string, records: number, where: string): void {
    if (this.#wanted?.has(field) === false) return;
    const found = this.#counts.get(field);
    if (found === undefined) this.#counts.set(field, { records, where });
    else found.records += records;
  }

  /**
   * One sentence for each field.
   * @param namesPlaces whether the places are lines of files: others may hold keys, which stay where the rows are.
   */
  warnings(namesPlaces: boolean): readonly string[] {
    return Array.from(this.#counts, ([field, { records, where }]) => {
      const of = records === 1 ? "1 record that had it" : `${records} records that had it`;
      const example = namesPlaces ? `, such as ${where}` : "";
      return (
        `${field} was left out of ${of} before${example}: the service may keep the old value ` +
        "(`empty: null` sends a null, `empty: omit` says that it is meant)"
      );
    });
  }
}
