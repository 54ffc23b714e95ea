import type { validateRecord } from "../records/validate-record.ts";
import type { MakeReject, MappedPage } from "./page.ts";

/** Checks every record against its stream's schema; what does not fit becomes a reject. */
export async function* validateRecords(
  pages: AsyncIterable<MappedPage>,
  validate: ReturnType<typeof validateRecord>,
  makeReject: MakeReject,
): AsyncGenerator<MappedPage> {
  for await (const page of pages) {
    page.records = page.records.filter(({ record, index }) => {
      const fault = validate(record);
      if (fault === undefined) return true;
      page.rejects.push(makeReject(page.source, index, { step: "validate", ...fault }));
      return false;
    });
    yield page;
  }
}
