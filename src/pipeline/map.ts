import type { CompiledMapping } from "../mapping/compile.ts";
import type { MakeReject, MappedPage, MappedRow, Omitted, RowPage } from "./page.ts";
import { sourceRejects, type KeepRows } from "./rejects.ts";

/** Turns rows into records; what cannot be mapped becomes a reject, and null is a row the mapping leaves out. */
export async function* mapRows(
  pages: AsyncIterable<RowPage>,
  mapping: Pick<CompiledMapping, "map">,
  how: { readonly stream: string; readonly keepRows: KeepRows; readonly makeReject: MakeReject },
): AsyncGenerator<MappedPage> {
  for await (const source of pages) {
    const records: MappedRow[] = [];
    const rejects = sourceRejects(source, how.stream, how.keepRows);
    const read = source.rows.length + rejects.length;
    const omitted: Omitted[] = [];
    let filtered = 0;
    for (const [index, row] of source.rows.entries()) {
      const mapped = mapping.map(row);
      if (mapped === null) filtered += 1;
      else if ("record" in mapped) {
        records.push({ record: mapped.record, index });
        for (const { field = "", reason } of mapped.omitted ?? [])
          omitted.push({ field, reason, where: source.where(index) });
      } else rejects.push(how.makeReject(source, index, { step: "map", ...mapped.reject }));
    }
    yield { source, read, records, rejects, filtered, unchanged: 0, superseded: [], omitted };
  }
}
