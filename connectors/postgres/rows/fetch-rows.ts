import type { QueryResult } from "pg";
import type Cursor from "pg-cursor";

import { RetryLater } from "../../../src/errors.ts";
import type { RawRows } from "./raw-rows.ts";

/** The result of a fetch besides its rows: whether they were the last ones, and the OIDs of their columns' types. */
type Fetched = { readonly isLast: boolean; readonly oids: readonly number[] };

/**
 * Fetches rows of a cursor, while a tap gathers them.
 * @throws {RetryLater} the number of rows differs from what the server says it sent.
 */
export async function fetchRows(
  cursor: Cursor,
  gathered: RawRows,
  asked: number,
): Promise<Fetched> {
  const before = gathered.came;
  // Before the last rows, the server gives no number: it sent all that were asked for.
  const { rowCount: told, fields } = await new Promise<QueryResult>((tell, fail) => {
    cursor.read(asked, (error, _, result) => {
      if (error instanceof Error) fail(error);
      else tell(result);
    });
  });
  const came = gathered.came - before;
  const sent = told ?? asked;
  if (came === sent) {
    return { isLast: told !== null, oids: fields.map(({ dataTypeID }) => dataTypeID) };
  }
  throw new RetryLater(`the server sent ${sent} rows, and ${came} came`, {
    hint: "Check whether something between here and the server alters the data.",
  });
}
