import type { DecodedText } from "./decode.ts";

/**
 * A row of a CSV file. Its prototype chain holds nothing, so a column named `constructor` or `__proto__` is
 * only a column.
 */
export class CsvRow {
  [column: string]: string;

  // The keys are set in the order of the header, so all rows of a file share one hidden class.
  constructor(columns: readonly string[], text: Pick<DecodedText, "value">) {
    let field = 0;
    for (const column of columns) {
      this[column] = text.value(field);
      field += 1;
    }
  }
}

Object.setPrototypeOf(CsvRow.prototype, null);
Reflect.deleteProperty(CsvRow.prototype, "constructor");
