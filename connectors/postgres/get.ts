import { SourceChangedError } from "../../src/errors.ts";
import { sqlStateOf } from "../../src/postgres/errors.ts";
import { quoteName } from "../../src/postgres/names.ts";
import type { Got, Span } from "../contract/connector.ts";
import type { ConnectorRequest } from "../contract/request.ts";
import { withSession, type Session } from "./client.ts";
import type { PostgresConfig } from "./config.ts";
import { isOfOtherKey, type PostgresPosition } from "./position.ts";
import { placeOf } from "./read.ts";
import type { Text } from "./rows/raw-rows.ts";
import { describeSource, type PostgresSource } from "./source.ts";
import { rowMaker, type PostgresRow } from "./sql/row.ts";

/** A row that was asked for. */
type Asked = { readonly name: string; readonly key: readonly string[] };

/**
 * A data exception, or the code of some types (ltree, tsvector) for a mistake in a text: it is not a value of the key's
 * type, so no row can have it.
 */
const notOfType = /^(?:22|4260[12])/;

type GetRequest = ConnectorRequest<PostgresConfig> &
  Span<PostgresPosition> & { readonly names: readonly string[] };

/** Reads single rows by their places, or by their keys alone; in a span, only those of the table that was read then. */
export async function getFromPostgres(request: GetRequest): Promise<Got<PostgresRow>> {
  return await withSession(request, async (session) => {
    const source = await describeSource(session, request.config);
    assertNamed(request, source);
    const asked = [...new Set(request.names)].map((name) => ({ name, key: keyIn(source, name) }));
    const width = source.key.length;
    const found = await find(
      session,
      source,
      asked.filter(({ key }) => key.length === width),
    );
    const makeRow = rowMaker(source.columns);
    return {
      rows: found.map(({ values }) => makeRow(values)),
      where: (index) => {
        const { name = "", values = [] } = found[index] ?? {};
        // A place keeps its name, although its key may be written in another way by now.
        return name.startsWith(placePrefix(source))
          ? name
          : placeOf(source, (at) => values[at] ?? null);
      },
      missing: asked
        .map(({ name }) => name)
        .filter((name) => !found.some((row) => row.name === name)),
    };
  });
}

const readAnew =
  "set `table`, `query` and `key` as they were, or run the sync: it reads another one from the beginning";

/**
 * A row is not gone because another table has no such key. What a query says may have changed: it is corrected for a
 * replay.
 * @throws {SourceChangedError} the names of a span are not those of this table, or of this key.
 */
function assertNamed({ config, names, from, to }: GetRequest, source: PostgresSource): void {
  const at = to ?? from;
  if (at === undefined) return;
  const other = names.find((name) => !name.startsWith(placePrefix(source)));
  const isOther = other !== undefined;
  if (!isOther && !isOfOtherKey(config, at)) return;
  const what = isOther ? "is not what was read then" : "is read by another key than then";
  // The next run continues in a table that is configured as it was, although it is in another schema.
  const isContinued = "of" in at && at.of === source.reading;
  const hint = isContinued ? undefined : readAnew;
  throw new SourceChangedError(`${source.place} ${what}`, { hint });
}

type Found = { readonly name: string; readonly values: readonly Text[] };

async function find(
  session: Session,
  source: PostgresSource,
  asked: readonly Asked[],
): Promise<readonly Found[]> {
  if (asked.length === 0) return [];
  try {
    return await findAll(session, source, asked);
  } catch (error) {
    if (!notOfType.test(sqlStateOf(error) ?? "")) throw error;
    if (asked.length === 1) return [];
    const middle = Math.ceil(asked.length / 2);
    const first = await find(session, source, asked.slice(0, middle));
    return [...first, ...(await find(session, source, asked.slice(middle)))];
  }
}

async function findAll(
  session: Session,
  { columns, key, from }: PostgresSource,
  asked: readonly Asked[],
): Promise<readonly Found[]> {
  const lists = key.map((_, at) => `$${at + 1}::text[]`);
  const names = key.map((_, at) => `k${at}`);
  // Each text is cast by itself: unnest would take apart a key that is an array.
  const same = key.map(({ name, type }, at) => `source.${quoteName(name)} = asked.k${at}::${type}`);
  const wanted = columns.map(({ name }) => `source.${quoteName(name)}`);
  const sql = `select asked.at, ${wanted.join(", ")}
    from unnest(${lists.join(", ")}) with ordinality as asked (${names.join(", ")}, at)
      join (select * from ${from}) as source on ${same.join(" and ")}`;
  const values = key.map((_, at) => asked.map((each) => each.key[at] ?? ""));
  const rows = await session.rows(sql, values);
  return rows.map(([at, ...row]) => ({ name: asked[Number(at) - 1]?.name ?? "", values: row }));
}

/** The texts of the key in a place such as `crm.companies:eu\,1,42`, or in the key alone. */
function keyIn(source: PostgresSource, name: string): readonly string[] {
  const { key } = source;
  const prefix = placePrefix(source);
  const text = name.startsWith(prefix) ? name.slice(prefix.length) : name;
  if (key.length === 1) return [text];
  const texts = [""];
  for (const [token] of text.matchAll(/\\?./gs)) {
    if (token === ",") texts.push("");
    else texts[texts.length - 1] += token.slice(-1);
  }
  return texts;
}

function placePrefix({ place }: PostgresSource): string {
  return `${place}:`;
}
