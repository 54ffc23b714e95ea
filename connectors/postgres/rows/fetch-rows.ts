import type Cursor from "pg-cursor";

import { RetryLater } from "../../../src/errors.ts";
import type { RawRows } from "./raw-rows.ts";

/**
 * Fetches rows of a cursor, while a tap gathers them.
 * @returns whether they were the last ones.
 * @throws {RetryLater} other than as many came as the server says it sent.
 */
export async function fetchRows(
  cursor: Cursor,
  gathered: RawRows,
  asked: number,
): Promise<boolean> {
  const before = gathered.count;
  // Before the last ones the server says no number: it sent all that were asked for.
  const told = await new Promise<number | null>((tell, fail) => {
    cursor.read(asked, (error, _, result) => {
      if (error instanceof Error) fail(error);
      else tell(result.rowCount);
    });
  });
  const came = gathered.count - before;
  const sent = told ?? asked;
  if (came === sent) return told !== null;
  throw new RetryLater(`the server sent ${sent} rows, and ${came} came`, {
    hint: "Look whether something between here and the server alters what passes.",
  });
}
