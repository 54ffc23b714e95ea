import { z } from "zod";

import type { InboxReader } from "../../src/inbox/inbox.ts";

const reached = z.object({
  seq: z.int().min(0),
  /** When the event of this number came, Unix ms; missing in older checkpoints, and where the event was removed. */
  receivedAt: z.number().optional(),
});

/** Up to which event of a connection an inbox was read. */
export const inboxPosition = z.object({
  inbox: z.string(),
  connection: z.string(),
  ...reached.shape,
  /** How far a sync had read other connections, by their earlier names: a renamed one may get its name back. */
  others: z.record(z.string(), reached).optional(),
});

/** See `inboxPosition`. */
export type InboxPosition = z.output<typeof inboxPosition>;

/**
 * Whether the event of a position is still the one that was read: an older copy of the inbox gives its number to
 * another one. An event that was removed, or whose time was not noted, counts as the same.
 */
export async function isSameEvent(
  inbox: Pick<InboxReader, "get">,
  { connection, seq, receivedAt }: InboxPosition,
): Promise<boolean> {
  if (receivedAt === undefined) return true;
  const [event] = await inbox.get({ connection, seqs: [seq] });
  return event === undefined || event.receivedAt === receivedAt;
}

/** The last event of a connection that a position covers, by its name now or earlier; undefined where there is none. */
export function seqIn({ connection, seq, others }: InboxPosition, of: string): number | undefined {
  return connection === of ? seq : others?.[of]?.seq;
}

/** A position that has never read a connection it does not read now. */
export function positionWithout(position: InboxPosition, connection: string): InboxPosition {
  const { others, ...now } = position;
  const { [connection]: _, ...rest } = others ?? {};
  return Object.keys(rest).length === 0 ? now : { ...now, others: rest };
}

/** A position in terms of a connection: how far a sync has read it; its beginning, where the sync never did. */
export function positionIn(position: InboxPosition, connection: string): InboxPosition {
  if (position.connection === connection) return position;
  const { inbox, connection: before, seq, receivedAt, others } = position;
  const { [connection]: here = { seq: 0 }, ...rest } = others ?? {};
  return { inbox, connection, ...here, others: { ...rest, [before]: { seq, receivedAt } } };
}
