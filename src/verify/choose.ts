import { lineOf, type RecordPage } from "../pipeline/page.ts";
import { changeOf } from "../pipeline/what-changed.ts";
import type { Stream } from "../records/streams.ts";
import type { KnownRecord } from "../state/contract/keys/known-records.ts";
import { SeededSample } from "./sample.ts";

/** A record that the service is known to hold, and its row as it is now. */
export type HeldRecord = {
  readonly key: string;
  readonly place: string;
  /** Its JSON line, from today's row and today's mapping. */
  readonly line: Buffer;
  /** Unix ms. */
  readonly acceptedAt: number;
  /** The number of the staging that sent it. */
  readonly send: number;
  /** Fields that have changed since it was sent, or were adopted otherwise; undefined if that is not known. */
  readonly changed: ReadonlySet<string> | undefined;
};

/** Which records to look up: some drawn by a seed, or those with certain keys. */
export type Choice =
  | { readonly size: number; readonly seed: number }
  | { readonly keys: ReadonlySet<string> };

/** The records chosen from a source. */
export type ChosenRecords = {
  readonly records: readonly HeldRecord[];
  /** Records in the source now. */
  readonly read: number;
  /** Requested keys for which the service is not known to hold a record. */
  readonly notHeld: readonly string[];
  /** Requested keys for which the source has no record. */
  readonly absent: readonly string[];
};

/** What choosing records needs. */
export type ChoosingTools = {
  readonly stream: Stream;
  /** Whether runs reject a row with the key of an earlier row. */
  readonly rejectsDuplicates: boolean;
  /** The known facts about keys, in order. */
  readonly knownOf: (keys: readonly string[]) => Promise<readonly KnownRecord[]>;
};

/** Draws the records to look up from all that the source has now. */
export async function chooseRecords(
  pages: AsyncIterable<RecordPage>,
  choice: Choice,
  { stream, rejectsDuplicates, knownOf }: ChoosingTools,
): Promise<ChosenRecords> {
  const sample =
    "keys" in choice
      ? new SeededSample<HeldRecord>(choice.keys.size, 0, rejectsDuplicates)
      : new SeededSample<HeldRecord>(choice.size, choice.seed, rejectsDuplicates);
  const isWanted = (key: string): boolean =>
    "keys" in choice ? choice.keys.has(key) : sample.wants(key);
  const found = new Set<string>();
  let read = 0;
  for await (const page of pages) {
    read += page.candidates.length;
    const wanted = page.candidates.filter(({ key }) => isWanted(key));
    const known = wanted.length === 0 ? [] : await knownOf(wanted.map(({ key }) => key));
    for (const [at, candidate] of wanted.entries()) {
      const { key, index } = candidate;
      if ("keys" in choice) found.add(key);
      // Nothing says that the service should have a record that was never accepted: the next run sends it.
      const record = known[at];
      if (record?.state !== "accepted") continue;
      const line = Buffer.from(lineOf(page, candidate));
      const change = changeOf(line, stream, record);
      const fields = change.status === "changed" ? change.fields : [];
      const { acceptedAt } = record;
      // An adopted record was not sent: the service may well hold something else.
      const changed =
        fields === undefined ? undefined : new Set([...fields, ...(record.adopted?.fields ?? [])]);
      sample.add({
        key,
        place: page.source.where(index),
        line,
        acceptedAt,
        changed,
        send: record.send,
      });
    }
    page.release?.();
  }
  const records = sample.items();
  const held = new Set(records.map(({ key }) => key));
  const asked = "keys" in choice ? [...choice.keys] : [];
  return {
    records,
    read,
    notHeld: asked.filter((key) => found.has(key) && !held.has(key)),
    absent: asked.filter((key) => !found.has(key)),
  };
}
