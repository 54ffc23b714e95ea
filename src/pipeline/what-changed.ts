import type { Stream } from "../records/streams.ts";
import type { FieldHash, KnownRecord } from "../state/contract/keys/known-records.ts";
import { fieldHashesOf } from "./fields/field-hashes.ts";
import { hashOf } from "./line-hashes.ts";

/** How a record differs from what the service accepted last. */
export type Change =
  | { readonly status: "new" | "unknown" }
  | {
      readonly status: "unchanged";
      readonly acceptedAt: number;
      /** Whether it only counts as accepted, because a person said so. @default false */
      readonly isAdopted?: boolean;
    }
  | {
      readonly status: "changed";
      /** Paths of the fields that differ, were added or were removed; undefined if their hashes were not kept. */
      readonly fields: readonly string[] | undefined;
      readonly acceptedAt: number;
    };

/**
 * What is known of a record of a sync with `send: all`: nothing if its row was followed, because no hashes of its
 * fields are kept then.
 */
export function withoutRow(known: KnownRecord): KnownRecord {
  const isOfRow = known.state === "accepted" && known.fields === undefined;
  return isOfRow ? { state: "unknown", why: "otherwise" } : known;
}

/** Says how a record differs from what is known of its key. */
export function changeOf(line: Uint8Array, stream: Stream, known: KnownRecord): Change {
  if (known.state !== "accepted") return { status: known.state };
  const { acceptedAt, fields } = known;
  if (Buffer.compare(hashOf(line), known.hash) === 0) {
    const isAdopted = known.adopted === undefined ? {} : { isAdopted: true };
    return { status: "unchanged", acceptedAt, ...isAdopted };
  }
  const differing =
    fields === undefined ? undefined : difference(fieldHashesOf(line, stream), fields);
  return { status: "changed", fields: differing, acceptedAt };
}

function difference(
  now: ReadonlyMap<string, number>,
  before: readonly FieldHash[],
): readonly string[] {
  const known = new Map(before.map(({ name, hash }) => [name, hash]));
  const names = new Set([...now.keys(), ...known.keys()]);
  return [...names].filter((name) => now.get(name) !== known.get(name));
}
