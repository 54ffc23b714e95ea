import { lineOf, type RecordPage } from "../pipeline/page.ts";
import { changeOf } from "../pipeline/what-changed.ts";
import type { Stream } from "../records/streams.ts";
import type { KnownRecord } from "../state/contract/keys/known-records.ts";
import { SeededSample } from "./sample.ts";

/** A record that the service is known to hold, and its row as it is now. */
export type HeldRecord = {
  readonly key: string;
  readonly place: string;
  /** As today's mapping makes it of today's row. */
  readonly line: Buffer;
  /** Unix ms. */
  readonly acceptedAt: number;
  /** The number of the staging that sent it. */
  readonly send: number;
  /** Fields that have changed since it was sent, or were adopted otherwise; undefined where that is not known. */
  readonly changed: ReadonlySet<string> | undefined;
};

/** Which records are looked up: some by a seed, or those of some keys. */
export type Choice =
  | { readonly size: number; readonly seed: number }
  | { readonly keys: ReadonlySet<string> };

/** What was chosen of a source. */
export type ChosenRecords = {
  readonly records: readonly HeldRecord[];
  /** Records that the source gives now. */
  readonly read: number;
  /** Keys that were asked for and of which the service is not known to hold a record. */
  readonly notHeld: readonly string[];
  /** Keys that were asked for and of which the source has no record. */
  readonly absent: readonly string[];
};

/** How records are chosen. */
export type ChoosingTools = {
  readonly stream: Stream;
  /** Whether runs reject a row whose key an earlier one had. */
  readonly rejectsDuplicates: boolean;
  /** What is known of keys, in order. */
  readonly knownOf: (keys: readonly string[]) => Promise<readonly KnownRecord[]>;
};

/** Draws the records to look up among all that the source gives now. */
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
      // Of what was never accepted nothing says that the service should have it: the next run sends it.
      const record = known[at];
      if (record?.state !== "accepted") continue;
      const line = Buffer.from(lineOf(page, candidate));
      const change = changeOf(line, stream, record);
      const fields = change.status === "changed" ? change.fields : [];
      const { acceptedAt } = record;
      // What was adopted was not sent: the service may well hold something else.
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
