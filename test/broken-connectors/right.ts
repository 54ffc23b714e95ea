import { z } from "zod";

import {
  pullSource,
  type Page,
  type Patch,
  type Pull,
  type Row,
  type Source,
  type Written,
} from "../../connectors/contract/connector.ts";
import type { ConnectorRequest } from "../../connectors/contract/request.ts";
import { SluiceError } from "../../src/errors.ts";
import {
  answers,
  connected,
  Connection,
  sampleConfig,
  samplePosition,
  type SampleConfig,
  type SamplePosition,
} from "./right-connection.ts";

function before(changed: string): SamplePosition {
  return { changed, id: "" };
}

function isEarlier(one: SamplePosition, other: SamplePosition): boolean {
  return one.changed === other.changed ? one.id < other.id : one.changed < other.changed;
}

/** No transaction of the server stays open for an hour. */
function isRecent({ changed }: SamplePosition): boolean {
  return Date.now() - Date.parse(changed) < 3_600_000;
}

type Answered = z.output<typeof answers.page>["rows"];

/** Rows whose text is a text or null, and a reject for each of the others. */
export function sorted(answered: Answered): Pick<Page<Row, never>, "rows" | "rejects" | "where"> {
  const isRow = ({ text }: Answered[number]): boolean => text === null || typeof text === "string";
  const rows = answered.filter(isRow);
  const rejects = answered
    .filter((row) => !isRow(row))
    .map((row) => ({
      where: `rows:${row.id}`,
      code: "not_text",
      reason: "`text` is neither a text nor null.",
      key: row.id,
      row: JSON.stringify(row),
    }));
  return { rows, rejects, where: (index) => `rows:${rows[index]?.id}` };
}

async function write(
  ask: ConnectorRequest<SampleConfig> & { readonly patches: readonly Patch[] },
): Promise<readonly Written[]> {
  const path = `/${ask.config.table}`;
  const wanted = ask.patches.map(({ key, set }) => {
    return { id: z.string().parse(key["id"]), text: z.string().nullable().parse(set["text"]) };
  });
  return await connected(ask, async (connection) => {
    const ids = wanted.map(({ id }) => id);
    const { rows } = await connection.get(answers.page, path, { ids });
    const texts = new Map(rows.map(({ id, text }) => [id, text]));
    // A row that already has the value is left alone: the server stamps everything it is asked to change.
    const changes = wanted.filter(({ id, text }) => texts.has(id) && texts.get(id) !== text);
    const { found } = await connection.patch(path, changes);
    const done = new Map(changes.map(({ id }, index) => [id, found[index]]));
    return wanted.map(({ id }) => {
      if (!texts.has(id) || done.get(id) === false) return { done: "missing" };
      return { done: done.has(id) ? "written" : "unchanged" };
    });
  });
}

/** Every ability, correct: broken connectors differ from it in a few lines. */
export const rightAbilities = {
  read: async function* (ask) {
    const connection = new Connection(ask);
    try {
      let after = ask.from;
      let left = ask.limit ?? Infinity;
      while (left > 0) {
        const query = { after, upto: ask.to, limit: Math.min(ask.pageRowsMax, left) };
        const { rows, next } = await connection.get(answers.page, `/${ask.config.table}`, query);
        if (next === undefined) return;
        yield { ...sorted(rows), position: next, mayComeAgain: isRecent(next) };
        after = next;
        left -= rows.length;
      }
    } finally {
      await connection.close();
    }
  },
  check: async (ask) => {
    try {
      const query = { limit: 1 };
      await connected(ask, (one) => one.get(answers.page, `/${ask.config.table}`, query));
      return [{ name: "read", ok: true, detail: ask.config.table }];
    } catch (error) {
      if (!(error instanceof SluiceError)) throw error;
      const { message, hint = "See that the server runs, and that `url` is its address." } = error;
      return [{ name: "read", ok: false, detail: message, fix: hint }];
    }
  },
  recognize: async (ask) => {
    const identity = await connected(ask, (one) => one.get(answers.server, "/server"));
    // Another version of the connector may have kept something different.
    const known = answers.server.safeParse(ask.known).data;
    const isOther = known !== undefined && known.server !== identity.server;
    const differs = isOther ? "it is another server" : undefined;
    return { identity, shown: `server ${identity.server}`, differs };
  },
  columns: async () => ["id", "text", "changed"],
  measure: async (ask) => {
    const query = { after: ask.from, upto: ask.to };
    const path = `/${ask.config.table}/count`;
    return { ...(await connected(ask, (one) => one.get(answers.count, path, query))), exact: true };
  },
  discover: async (ask) => {
    const { tables } = await connected(ask, (one) => one.get(answers.tables, "/tables"));
    const columns = (["id", "text", "changed"] as const).map((name) => {
      return { name, type: name === "changed" ? ("time" as const) : ("string" as const) };
    });
    return tables
      .slice(0, ask.max)
      .map(({ name, key }) => ({ name, from: { table: name }, columns, key }));
  },
  readLimit: async (ask) => {
    const { now, oldest } = await connected(ask, (one) => one.get(answers.clock, "/clock"));
    return { to: before(now), oldestOpen: oldest === undefined ? undefined : before(oldest) };
  },
  rewind: ({ position, oldestOpen }) =>
    oldestOpen !== undefined && isEarlier(oldestOpen, position) ? oldestOpen : position,
  at: ({ when }) => before(when.toISOString().replace("Z", "000Z")),
  split: async (ask) => {
    const { from, to, parts } = ask;
    const query = { after: from, upto: to, parts };
    const path = `/${ask.config.table}/edges`;
    const { edges } = await connected(ask, (one) => one.get(answers.edges, path, query));
    return [...edges, to].map((edge, index) => ({
      from: index === 0 ? from : edges[index - 1],
      to: edge,
    }));
  },
  get: async (ask) => {
    const ids = ask.names.map((name) => name.replace(/^rows:/, ""));
    const path = `/${ask.config.table}`;
    const { rows } = await connected(ask, (one) => one.get(answers.page, path, { ids }));
    const there = new Set(rows.map(({ id }) => id));
    return {
      ...sorted(rows),
      missing: ask.names.filter((_, index) => !there.has(ids[index] ?? "")),
    };
  },
  write,
} satisfies Pull<SampleConfig, SamplePosition, Row>;

/** A connector for `SampleServer` that differs from the right one in some members. */
export function rightSource(
  changes: Partial<Pull<SampleConfig, SamplePosition, Row>> & {
    readonly config?: z.ZodType<SampleConfig>;
    readonly position?: z.ZodType<SamplePosition>;
  } = {},
): Source {
  return pullSource({
    name: "right",
    config: sampleConfig,
    position: samplePosition,
    ...rightAbilities,
    ...changes,
  });
}

/** The connector that every check finds right. */
export const right = rightSource();
