import { z } from "zod";

import type { InboxReader } from "../../src/inbox/inbox.ts";

const reached = z.object({
  seq: z.int().min(0),
  /** When the event of this number came, Unix ms; not in checkpoints of before, nor where it was removed. */
  receivedAt: z.number().optional(),
});

/** Up to which event of a connection an inbox was read. */
export const inboxPosition = z.object({
  inbox: z.string(),
  connection: z.string(),
  ...reached.shape,
  /** How far a sync had read others, by their names of then: a connection that is renamed may get its name back. */
  others: z.record(z.string(), reached).optional(),
});

/** See `inboxPosition`. */
export type InboxPosition = z.output<typeof inboxPosition>;

/**
 * Whether the event of a position is still the one that was read: an older copy of the inbox gives its number to
 * another one. One that was removed, or of which nobody noted when it came, is taken for it.
 */
export async function isSameEvent(
  inbox: Pick<InboxReader, "get">,
  { connection, seq, receivedAt }: InboxPosition,
): Promise<boolean> {
  if (receivedAt === undefined) return true;
  const [event] = await inbox.get({ connection, seqs: [seq] });
  return event === undefined || event.receivedAt === receivedAt;
}

/** A position as it is of a connection: how far a sync has read that; its beginning, where it never did. */
export function positionIn(position: InboxPosition, connection: string): InboxPosition {
  if (position.connection === connection) return position;
  const { inbox, connection: before, seq, receivedAt, others } = position;
  const { [connection]: here = { seq: 0 }, ...rest } = others ?? {};
  return { inbox, connection, ...here, others: { ...rest, [before]: { seq, receivedAt } } };
}
