import { pushedConfigOf } from "../../src/config/schema/sources.ts";
import { SourceChangedError } from "../../src/errors.ts";
import type { InboxReader, InboxRow } from "../../src/inbox/inbox.ts";
import { openInboxReader } from "../../src/inbox/reader.ts";
import { jsonValuesMax } from "../../src/limits.ts";
import { parseJsonRow } from "../../src/mapping/json-row.ts";
import { valuesIn } from "../../src/mapping/json-tokens.ts";
import {
  pullSource,
  type Row,
  type Got,
  type Page,
  type Source,
  type Reject,
  type Span,
} from "../contract/connector.ts";
import type { PushSource } from "../contract/push.ts";
import type { ConnectorRequest } from "../contract/request.ts";
import { inboxPosition, isSameEvent, positionIn, type InboxPosition } from "./position.ts";

/** A push connector as syncs read it: its events in the inbox, in the order they came. */
export function readFromInbox(push: PushSource): Source {
  return {
    ...pullSource({
      name: push.name,
      config: push.config,
      position: inboxPosition,
      placesAreLines: true,
      read: readEvents,
      get: getEvents,
      check: async (request) => {
        return (
          (await push.check?.({ ...request, config: pushedConfigOf(request.config).settings })) ??
          []
        );
      },
      readLimit: async ({ config }) =>
        await withEvents(config, async (events) => ({ to: await events?.end() })),
      rewind: async ({ config, position }) =>
        await withEvents(config, async (events) => {
          const own = positionIn(position, pushedConfigOf(config).connection);
          return (await events?.has(own)) === true ? own : undefined;
        }),
    }),
    push,
    gone: async ({ config, from, to }) => {
      const [first, last] = [from, to].map((position) => inboxPosition.safeParse(position).data);
      return await withEvents(
        config,
        async (events) => (await events?.gone(first?.seq ?? 0, last?.seq)) ?? 0,
      );
    },
  };
}

/** One connection's events in an inbox that is open. */
class Events {
  readonly connection: string;
  /** The last sequence number when it was opened. */
  readonly last: number;
  readonly #inbox: InboxReader;

  constructor(inbox: InboxReader, { connection, last }: Pick<Events, "connection" | "last">) {
    this.#inbox = inbox;
    this.connection = connection;
    this.last = last;
  }

  positionOf(seq: number, receivedAt: number | undefined): InboxPosition {
    return { inbox: this.#inbox.inboxId, connection: this.connection, seq, receivedAt };
  }

  /** The position of the last event. */
  async end(): Promise<InboxPosition> {
    const [event] = await this.get([this.last]);
    return this.positionOf(this.last, event?.receivedAt);
  }

  /** Where a person finds an event. */
  placeOf(seq: number): string {
    return `${this.connection}#${seq}`;
  }

  /**
   * The members that an event is delivered with, in place of its own members of these names. An event without an id
   * gets one that no other event of any inbox has.
   */
  deliveredOf({ seq, id, receivedAt }: InboxRow): Row {
    return {
      $event_id: id ?? `${this.#inbox.inboxId}/${this.placeOf(seq)}`,
      $received_at: new Date(receivedAt).toISOString(),
    };
  }

  /**
   * Whether a position is one of these events: sequence numbers mean nothing elsewhere, and one after the last comes
   * from an inbox that was replaced by an older copy of itself, which gives the number out again.
   */
  async has(position: InboxPosition): Promise<boolean> {
    const { inbox, connection, seq } = position;
    const isOurs = inbox === this.#inbox.inboxId && connection === this.connection;
    return isOurs && seq <= this.last && (await isSameEvent(this.#inbox, position));
  }

  /** The next events of `(after, upTo]`, at most `limit`, and no more than fit into a page. */
  async next(span: {
    readonly after: number;
    readonly upTo: number;
    readonly limit: number;
  }): Promise<InboxRow[]> {
    return await this.#inbox.read({ connection: this.connection, ...span });
  }

  /**
   * How many of `(after, upTo]` are no longer there: numbers are given out without gaps, and the first events are
   * removed first.
   */
  async gone(after: number, upTo = this.last): Promise<number> {
    const { connection } = this;
    return Math.max(0, upTo - after - (await this.#inbox.held({ connection, after, upTo })));
  }

  async get(seqs: readonly number[]): Promise<InboxRow[]> {
    return await this.#inbox.get({ connection: this.connection, seqs });
  }

  async close(): Promise<void> {
    await this.#inbox.close();
  }
}

/** The events of a connection, by its name now or before; undefined while no connection has received anything yet. */
async function openEvents(config: unknown, before?: string): Promise<Events | undefined> {
  const { inbox: at, connection: now } = pushedConfigOf(config);
  const connection = before ?? now;
  const inbox = await openInboxReader(at);
  if (inbox === undefined) return undefined;
  try {
    return new Events(inbox, { connection, last: await inbox.last(connection) });
  } catch (error) {
    await inbox.close();
    throw error;
  }
}

async function withEvents<Result>(
  config: unknown,
  work: (events: Events | undefined) => Promise<Result> | Result,
  before?: string,
): Promise<Result> {
  const events = await openEvents(config, before);
  try {
    return await work(events);
  } finally {
    await events?.close();
  }
}

/** @throws {SourceChangedError} an end of the span is not one of these events. */
async function assertOf(
  events: Events | undefined,
  { from, to }: Span<InboxPosition>,
): Promise<void> {
  for (const position of [from, to]) {
    if (position === undefined || (await events?.has(position)) === true) continue;
    throw new SourceChangedError(
      `connection ${position.connection}: this is not the inbox that was read before`,
      { hint: "run the sync again: it then begins with the first event that is kept" },
    );
  }
}

async function* readEvents(
  request: ConnectorRequest<unknown> & Span<InboxPosition> & { readonly pageRowsMax: number },
): AsyncGenerator<Page<Row, InboxPosition>> {
  const { config, signal, from, to, pageRowsMax: limit } = request;
  const events = await openEvents(config);
  try {
    await assertOf(events, { from, to });
    if (events === undefined) return;
    // Where no end is given, it is set now: otherwise senders that keep ahead of a read would never let it end.
    const upTo = to?.seq ?? events.last;
    let after = from?.seq ?? 0;
    for (;;) {
      signal.throwIfAborted();
      const found = await events.next({ after, upTo, limit });
      if (found.length === 0) return;
      const end = found.at(-1);
      after = end?.seq ?? after;
      const position = { ...events.positionOf(after, end?.receivedAt), others: from?.others };
      yield { ...rowsOf(found, events), position };
    }
  } finally {
    await events?.close();
  }
}

async function getEvents(
  request: ConnectorRequest<unknown> & Span<InboxPosition> & { readonly names: readonly string[] },
): Promise<Got<Row>> {
  const work = async (events: Events | undefined): Promise<Got<Row>> => {
    await assertOf(events, request);
    if (events === undefined) return { rows: [], where: () => "", missing: request.names };
    const found = await events.get(seqsOf(request.names, events));
    const places = new Set(found.map(({ seq }) => events.placeOf(seq)));
    return { ...rowsOf(found, events), missing: request.names.filter((name) => !places.has(name)) };
  };
  // Rejects name the connection as it was called when they were read.
  return await withEvents(request.config, work, request.to?.connection);
}

const place = /^(.+)#([1-9]\d*)$/;

/** The sequence numbers in places such as `forms#12`, without those that were never given out. */
function seqsOf(names: readonly string[], { connection, last }: Events): readonly number[] {
  const seqs = [...new Set(names)].flatMap((name) => {
    const [, of, seq] = place.exec(name) ?? [];
    return of === connection ? [Number(seq)] : [];
  });
  return seqs.filter((seq) => seq <= last);
}

const conflict = {
  code: "id_conflict",
  reason: "another event came with the same id before; that one is sent",
};

const notObject = { code: "not_an_object", reason: "the event is not a JSON object" };

const tooMany = {
  code: "too_many_values",
  reason: `the event has more than ${jsonValuesMax} values`,
};

/** Roughly the memory that a value takes besides its text (measured: 46 to 150 bytes). */
const valueBytes = 100;

/** Events as rows; as rejects where they cannot be rows. */
function rowsOf(
  kept: readonly InboxRow[],
  events: Events,
): Pick<Page<Row, never>, "heapBytes" | "rejects" | "rows" | "text" | "where"> {
  const found: { readonly row: Row; readonly where: string; readonly json: string }[] = [];
  const rejects: Reject[] = [];
  let heapBytes = 0;
  for (const event of kept) {
    const { seq, json, isConflict } = event;
    const where = events.placeOf(seq);
    const values = valuesIn(json);
    // A receiver keeps none of so many values; an older one did.
    const refusal = isConflict ? conflict : values > jsonValuesMax ? tooMany : undefined;
    const row = refusal === undefined ? parseJsonRow(json) : undefined;
    heapBytes += json.length;
    if (row !== undefined) {
      found.push({ row: { ...row, ...events.deliveredOf(event) }, where, json });
      heapBytes += values * valueBytes;
    } else {
      const why = refusal ?? notObject;
      rejects.push({ where, row: json, rowsBefore: found.length, ...why });
    }
  }
  return {
    rows: found.map(({ row }) => row),
    where: (index) => found[index]?.where ?? "",
    text: (index) => found[index]?.json ?? "",
    rejects,
    heapBytes,
  };
}
