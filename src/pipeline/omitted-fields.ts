import type { Omitted } from "./page.ts";

/** Counts the fields that were left out of the records of a chunk, for a person to see. */
export class OmittedFields {
  readonly #counts = new Map<string, { rows: number; readonly first: Omitted }>();

  add(omitted: readonly Omitted[]): void {
    for (const first of omitted) {
      const id = `${first.field} ${first.reason}`;
      const found = this.#counts.get(id);
      if (found === undefined) this.#counts.set(id, { rows: 1, first });
      else found.rows += 1;
    }
  }

  /**
   * One sentence for each field and reason.
   * @param namesPlaces whether the places are lines of files: others may hold keys, which stay where the rows are.
   */
  warnings(namesPlaces: boolean): readonly string[] {
    return Array.from(this.#counts.values(), ({ rows, first: { field, reason, where } }) => {
      const of = rows === 1 ? "1 record" : `${rows} records`;
      const example = namesPlaces ? `, such as ${where}` : "";
      return `${field} was left out of ${of}${example}: a value that ${reason}`;
    });
  }
}
