import type { Session } from "../client.ts";

/** A column's type, as the server describes it. */
export type ColumnType = {
  /** Its name without a length, as a cast takes it. */
  readonly type: string;
  /** Whether its values are compared by a collation. */
  readonly isText: boolean;
  /** For a list: the type of its items, and the delimiter between two of them. */
  readonly items: { readonly type: string; readonly delimiter: string } | undefined;
};

/** The types of some OIDs. A domain counts as its base type; a type that only looks like an array is not a list. */
export async function columnTypes(
  session: Session,
  oids: ReadonlySet<number>,
): Promise<ReadonlyMap<number, ColumnType>> {
  // With -1 for the length, because `character` alone would mean one character, and a cast would cut the rest.
  const rows = await session.query(
    `select t.oid, format_type(t.oid, -1) as type, t.typcollation <> 0 as is_text, e.typdelim as delimiter,
       format_type(coalesce(nullif(e.typbasetype, 0), e.oid), -1) as item
     from pg_type t left join pg_type e on e.oid = t.typelem and t.typoutput = 'array_out'::regproc
     where t.oid = any ($1)`,
    [[...oids]],
  );
  return new Map(
    rows.map(({ oid, type, is_text: isText, item, delimiter }): [number, ColumnType] => [
      Number(oid),
      {
        type: type ?? "",
        isText: isText === "t",
        items:
          typeof item === "string" && typeof delimiter === "string"
            ? { type: item, delimiter }
            : undefined,
      },
    ]),
  );
}
