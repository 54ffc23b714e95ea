import type { validateRecord } from "../records/validate-record.ts";
import type { MakeReject, RecordPage } from "./page.ts";

/** Checks every record against its stream's schema; what does not fit becomes a reject. */
export async function* validateRecords(
  pages: AsyncIterable<RecordPage>,
  validate: ReturnType<typeof validateRecord>,
  makeReject: MakeReject,
): AsyncGenerator<RecordPage> {
  for await (const page of pages) {
    page.candidates = page.candidates.filter(({ record, index }) => {
      const fault = validate(record);
      if (fault === undefined) return true;
      page.rejects.push(makeReject(page.source, index, { step: "validate", ...fault }));
      return false;
    });
    yield page;
  }
}
