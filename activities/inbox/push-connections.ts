import { pushConnections, type Pushed } from "../../connectors/contract/push-connections.ts";
import { inboxPosition, isSameEvent, positionIn, seqIn } from "../../connectors/inbox/position.ts";
import { ConfigError } from "../../src/errors.ts";
import type { Inbox } from "../../src/inbox/inbox.ts";
import type { Dependencies } from "../dependencies.ts";

/** The connection of that name. @throws {ConfigError} it does not exist, or is not pushed to. */
export function pushConnectionNamed(
  deps: Pick<Dependencies, "config" | "sources">,
  connection: string,
): Pushed {
  const all = pushConnections(deps);
  const found = all.find((pushed) => pushed.connection === connection);
  if (found !== undefined) return found;
  const names = all.map((pushed) => pushed.connection).join(", ");
  const none = `no connection "${connection.slice(0, 100)}" of ${deps.config.file} is pushed to`;
  throw new ConfigError(none, {
    field: "connections",
    hint: names === "" ? "give it `connector: webhook`" : `those that are: ${names}`,
  });
}

/**
 * The inbox of pushed events.
 * @throws {ConfigError} none of the connections is pushed to.
 */
export function inboxOf({ config, inboxes }: Pick<Dependencies, "config" | "inboxes">): Inbox {
  if (inboxes !== undefined) return inboxes.inbox;
  throw new ConfigError(`no connection of ${config.file} is pushed to`, {
    field: "connections",
    hint: "give one `connector: webhook`, or start workers with the file that the drain was begun with",
  });
}

/** How far a sync has read the events of its connection. */
export type ConnectionReading = {
  readonly sync: string;
  /** The last event that its checkpoint covers; 0 for none. */
  readonly seq: number;
  /** How long its first event after that has waited; undefined when there is none. */
  readonly unreadMs: number | undefined;
};

/**
 * The least sequence number of a connection that any checkpoint of the store covers, whoever has it: a sync that is not
 * configured now may come back, a target that is not used now may be used again, and a sync may get back the connection
 * that it read before. Infinity where there is none.
 */
export async function leastKept(
  { state }: Pick<Dependencies, "state">,
  inbox: Inbox,
  connection: string,
): Promise<number> {
  const found = await state.positions({ inbox: inbox.inboxId });
  const seqs = found.flatMap(({ position }) => {
    const read = inboxPosition.safeParse(position).data;
    return (read === undefined ? undefined : seqIn(read, connection)) ?? [];
  });
  return Math.min(...seqs, Infinity);
}

/** The last sequence number of a connection. */
async function lastOf(inbox: Inbox, connection: string): Promise<number> {
  const backlogs = await inbox.backlogs();
  return backlogs.find((backlog) => backlog.connection === connection)?.last ?? 0;
}

/** How far each sync of a connection has read, by its checkpoint for the service that this worker sends to. */
export async function readingsOf(
  { state, target }: Pick<Dependencies, "state" | "target">,
  inbox: Inbox,
  { connection, syncs }: Pick<Pushed, "connection" | "syncs">,
): Promise<readonly ConnectionReading[]> {
  const checkpoints = await Promise.all(
    syncs.map(async ({ name: sync }) => {
      const { position } = await state.checkpoint({ target, sync });
      const read = inboxPosition.safeParse(position).data;
      return { sync, read: read === undefined ? undefined : positionIn(read, connection) };
    }),
  );
  // Read after the positions, because all of them grow.
  const last = await lastOf(inbox, connection);
  const now = await inbox.now();
  return await Promise.all(
    checkpoints.map(async ({ sync, read }) => {
      // A position in another inbox, or in a newer copy, says nothing about this one, which is read from its beginning.
      const isOurs = read?.inbox === inbox.inboxId;
      const isThere = isOurs && read.seq <= last && (await isSameEvent(inbox, read));
      const seq = isThere ? read.seq : 0;
      const [first] = await inbox.read({ connection, after: seq, limit: 1 });
      return { sync, seq, unreadMs: first === undefined ? undefined : now - first.receivedAt };
    }),
  );
}
