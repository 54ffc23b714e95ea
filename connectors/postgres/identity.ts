import { z } from "zod";

import { columnOrder } from "./column-order.ts";
import { addressesKnownMax } from "./limits.ts";

/** The facts that are kept about the database that a sync has read. */
export const postgresIdentity = z
  .object({
    /** The server's system identifier; null where the role may not ask for it. */
    system: z.string().nullable(),
    database: z.string(),
    /** The number that its server gave it: a database that is dropped and made again by that name gets another. */
    oid: z.string(),
    /** Where it was found or confirmed, the latest first: a physical copy has the same identifiers. */
    addresses: z.array(z.string()).readonly(),
    /** The timeline of a primary. */
    timeline: z.int().nullable(),
    /** How far a primary had written its log. */
    wal: z.string().nullable(),
    /** A checkpoint that is known to be above the greatest value of its column. */
    ahead: z.string().nullable(),
    /** How rows are ordered, where a run continues after a position; an older sluice did not keep it. */
    order: columnOrder.optional(),
  })
  .readonly();

/** See `postgresIdentity`. */
export type PostgresIdentity = z.output<typeof postgresIdentity>;

/** The facts that a server reports about itself. */
export type Sighting = Omit<PostgresIdentity, "addresses" | "order"> & {
  readonly address: string;
  /**
   * Where a server that came out of a recovery since its start left the previous timeline; null where that is not
   * known.
   */
  readonly fork: string | null;
};

/** The name of a database in messages. */
export function shownSighting({ system, database, address, timeline }: Sighting): string {
  const server =
    system === null
      ? ", whose system identifier this role may not ask for"
      : `, system identifier ${system}`;
  return `database ${database} at ${address}${server}${timeline === null ? "" : `, timeline ${timeline}`}`;
}

/** The facts to keep once a database counts as the one that is read. */
export function rememberedOf(
  known: PostgresIdentity | undefined,
  found: Sighting,
): Omit<PostgresIdentity, "order"> {
  const { system, database, oid, address, ahead } = found;
  const before = known !== undefined && isSameDatabase(known, found) ? known : undefined;
  const others = before?.addresses.filter((one) => one !== address) ?? [];
  // A standby reports neither; the values of its primary stay.
  const { timeline, wal } = found.timeline === null ? (before ?? found) : found;
  return {
    system: system ?? before?.system ?? null,
    database,
    oid,
    addresses: [address, ...others].slice(0, addressesKnownMax),
    timeline,
    wal,
    ahead,
  };
}

/** Why a run may not continue with a database, as a clause; undefined when it is the one that was read. */
export function differenceOf(known: PostgresIdentity, found: Sighting): string | undefined {
  if (!isSameDatabase(known, found)) return "the database is not the one that was read before";
  if (!known.addresses.includes(found.address)) {
    return "the database is at an address that was never confirmed, where it may be a copy";
  }
  return (
    wentBack(known, found) ??
    (found.ahead === null || found.ahead === known.ahead
      ? undefined
      : `the checkpoint ${found.ahead} is above every value of its change column, as after a backup was restored`)
  );
}

function isSameDatabase(
  known: Pick<PostgresIdentity, "database" | "oid" | "system">,
  found: Pick<PostgresIdentity, "database" | "oid" | "system">,
): boolean {
  if (known.database !== found.database || known.oid !== found.oid) return false;
  return known.system === null || found.system === null || known.system === found.system;
}

/**
 * A log only grows: one that is shorter than it was, or left its timeline before that point, is an older
 * state of the data.
 */
function wentBack(known: PostgresIdentity, found: Sighting): string | undefined {
  if (found.timeline === null || known.timeline === null) return undefined;
  const restored = "the server went back to an older state, as after a backup was restored";
  if (isBefore(found.wal, known.wal)) return restored;
  if (found.timeline === known.timeline) return undefined;
  if (isBefore(found.fork, known.wal)) return restored;
  const isNext = found.timeline === known.timeline + 1;
  // Without the point where it left, nobody can distinguish a restored backup from a replica that took over; but a
  // replica is at another address.
  if ((isNext && found.fork !== null) || found.address !== known.addresses[0]) return undefined;
  return "the server is on another timeline: a replica took over, or a backup was restored";
}

/** Compares two places of the log, `16/B374D848`; false where one is not known. */
function isBefore(one: string | null, other: string | null): boolean {
  return one !== null && other !== null && placeOf(one) < placeOf(other);
}

function placeOf(text: string): bigint {
  const [high = "0", low = "0"] = text.split("/");
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`);
}
