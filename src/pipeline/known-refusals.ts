import { rejectText } from "../records/reject-codes.ts";
import type { Refusal } from "../state/contract/sends/refusals.ts";
import { hashOf } from "./line-hashes.ts";
import type { MakeReject, RecordPage } from "./page.ts";

function nameOf(key: string, hash: Uint8Array): string {
  return `${Buffer.from(hash).toString("hex")} ${key}`;
}

/**
 * Rejects the records that the service refused in an earlier staging of their chunk that was not committed: once found,
 * they are not looked for again by halving. A record that changed since is a different one, and is tried.
 */
export async function* rejectRefused(
  pages: AsyncIterable<RecordPage>,
  refusals: readonly Refusal[],
  makeReject: MakeReject,
): AsyncGenerator<RecordPage> {
  if (refusals.length === 0) {
    // Asking an empty set for each key took a twentieth of a staging.
    yield* pages;
    return;
  }
  const known = new Map(refusals.map((refusal) => [nameOf(refusal.key, refusal.hash), refusal]));
  const keys = new Set(refusals.map(({ key }) => key));
  for await (const page of pages) {
    const { candidates } = page;
    candidates.keep((position) => {
      const key = candidates.keyAt(position);
      if (!keys.has(key)) return true;
      const refusal = known.get(nameOf(key, hashOf(candidates.lineAt(position))));
      if (refusal === undefined) return true;
      const { code, field } = refusal;
      const naming = field === null ? "" : `, naming ${field}`;
      const reason = `${rejectText(code)}${naming}, when it was last sent; it did not change since`;
      const fault = { step: "send", code, field: field ?? undefined, reason, key } as const;
      page.rejects.push(makeReject(page.source, candidates.rowOf(position), fault));
      return false;
    });
    yield page;
  }
}
