import { setImmediate } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";

import type { z } from "zod";

import type {
  Page,
  Recognition,
  Reject,
  Row,
  Source,
  Span,
} from "../connectors/contract/connector.ts";
import type { ConnectorRequest } from "../connectors/contract/request.ts";
import { mustTellTheRows } from "./cells.ts";
import { CheckFailed, mustBe, needed } from "./failed.ts";
import type { HarnessRow, PullHarness } from "./harness.ts";

/** A page as the kit holds it: its rows as the harness wrote them. */
export type ReadPage = {
  readonly rows: readonly HarnessRow[];
  readonly rejects: readonly Reject[];
  /** Through JSON, as the engine keeps it. */
  readonly position: unknown;
  readonly raw: Page<Row, unknown>;
};

/** The request for a read. */
export type SubjectRead = Span<unknown> & {
  readonly pageRowsMax?: number;
  readonly limit?: number;
  readonly signal?: AbortSignal;
};

/** Rows of a page when a check does not say. */
export const usualPageRows = 7;

/** No check's source has this many pages, which distinguishes a read that repeats its rows for ever from a long one. */
const pagesMax = 20_000;

const pagesBetweenBreaks = 100;

/** The issues for which a schema refuses a value, without the values. */
export function issuesText({ issues }: Pick<z.ZodError, "issues">): string {
  return issues
    .map(({ path, message }) => [path.join("."), message].filter(Boolean).join(": "))
    .join("; ");
}

/** A pull connector on its harness: everything that checks do with the two. */
export class Subject {
  readonly source: Source;
  readonly harness: PullHarness;
  /** The lines that the connector logged so far. */
  readonly logged: string[] = [];

  constructor(source: Source, harness: PullHarness) {
    this.source = source;
    this.harness = harness;
  }

  /**
   * The harness's configuration as the engine hands it over. @throws {CheckFailed} the connector's schema
   * refuses it.
   */
  config(changes: object = {}): unknown {
    const parsed = this.source.config.safeParse({ ...this.harness.config, ...changes });
    if (parsed.success) return parsed.data;
    throw new CheckFailed("the harness's own config to be valid", issuesText(parsed.error));
  }

  /** The request that every ability receives. */
  request(
    signal: ConnectorRequest<unknown>["signal"] = new AbortController().signal,
  ): ConnectorRequest<unknown> {
    const log = (text: string, facts?: object): void =>
      void this.logged.push(facts === undefined ? text : `${text} ${JSON.stringify(facts)}`);
    return { config: this.config(), signal, log: { info: log, warn: log } };
  }

  /** Empties the source and fills it. */
  async holds(rows: readonly HarnessRow[]): Promise<void> {
    await this.harness.empty();
    if (rows.length > 0) await this.harness.fill(rows);
  }

  /** Adds rows to those that are there; a row whose id is there already is replaced. */
  async takes(rows: readonly HarnessRow[]): Promise<void> {
    await this.harness.fill(rows);
  }

  /** Pages as they come, each checked for what must hold of every page: size, cells, its position's schema and JSON. */
  async *pages({
    pageRowsMax = usualPageRows,
    signal,
    ...span
  }: SubjectRead = {}): AsyncGenerator<ReadPage> {
    const pages = this.source.read({ ...this.request(signal), ...span, pageRowsMax });
    let count = 0;
    for await (const raw of pages) {
      count += 1;
      mustBe(count <= pagesMax, "an end of the source", `${pagesMax} pages`);
      // A source that never waits would keep the timer of the check from ever running.
      if (count % pagesBetweenBreaks === 0) await setImmediate();
      const rejects = raw.rejects ?? [];
      const size = raw.rows.length + rejects.length;
      mustBe(size <= pageRowsMax, `pages of ${pageRowsMax} rows at most`, `one of ${size}`);
      if (raw.cells !== undefined) mustTellTheRows(raw.cells, raw.rows);
      yield { rows: raw.rows.map(this.rowOf), rejects, position: this.kept(raw.position), raw };
    }
  }

  /** All pages of a span. */
  async read(request: SubjectRead = {}): Promise<readonly ReadPage[]> {
    const read: ReadPage[] = [];
    for await (const page of this.pages(request)) read.push(page);
    return read;
  }

  /** The rows of a span, in the order they came. */
  async rows(request: SubjectRead = {}): Promise<readonly HarnessRow[]> {
    return (await this.read(request)).flatMap(({ rows }) => rows);
  }

  /** Fails unless `measure`, where there is one and it counts, finds `count` rows. @throws {CheckFailed} */
  async mustMeasure(span: Span<unknown>, count: number): Promise<void> {
    const { rows = count, exact = true } =
      (await this.source.measure?.({ ...this.request(), ...span })) ?? {};
    if (!exact || rows === count) return;
    throw new CheckFailed(`\`measure\` to count ${count} rows where as many were read`, `${rows}`);
  }

  /**
   * Where the next run begins, as the engine finds it from a run's last position and its `oldestOpen`;
   * undefined is the source's beginning.
   */
  async rewound(last: {
    readonly position: unknown;
    readonly oldestOpen?: unknown;
  }): Promise<unknown> {
    const config = this.config();
    if (last.position === undefined) return undefined;
    if (this.source.restart?.(config) === "each-run") return undefined;
    if (this.source.rewind !== undefined) return await this.source.rewind({ config, ...last });
    const { position } = last;
    return this.source.isOf?.({ config, position }) === false ? undefined : position;
  }

  /** A row as the harness wrote it. */
  readonly rowOf = (row: Row): HarnessRow => this.harness.rowOf?.(row) ?? plainRow(row);

  /** The position as the next chunk gets it: through JSON and the schema. */
  kept(position: unknown): unknown {
    const kept = throughJson(position, "a position");
    const parsed = this.source.position.safeParse(kept);
    mustBe(parsed.success, "a position that the schema takes after JSON", "one that it refuses");
    mustBeKept(parsed.data, position, "a position");
    return parsed.data;
  }

  /** The result of `recognize`, with its identity as JSON keeps it. @throws {CheckFailed} */
  async recognized(known: {
    readonly known?: unknown;
    readonly position?: unknown;
  }): Promise<Omit<Recognition, "identity"> & { readonly identity: unknown }> {
    const recognize = needed(
      this.source.recognize?.bind(this.source),
      "the connector has no `recognize`",
    );
    const recognition = await recognize({ ...this.request(), ...known });
    const identity = throughJson(recognition.identity, "an identity");
    mustBeKept(identity, recognition.identity, "an identity");
    return { ...recognition, identity };
  }
}

/** A value as the engine keeps it; messages call it `what`. @throws {CheckFailed} JSON cannot hold it. */
function throughJson(value: unknown, what: string): unknown {
  try {
    return JSON.parse(JSON.stringify(value));
  } catch {
    throw new CheckFailed(`${what} that JSON can hold`, "one that it cannot");
  }
}

function mustBeKept(kept: unknown, value: unknown, what: string): void {
  const isKept = isDeepStrictEqual(plainData(kept), plainData(value));
  mustBe(isKept, `${what} that JSON keeps as it is`, "one that JSON changes");
}

/** The same value without undefined members: JSON leaves them out, and they mean nothing. */
function plainData(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plainData);
  if (typeof value !== "object" || value === null) return value;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(members.map(([name, member]) => [name, plainData(member)]));
}

function plainRow({ id, text, changed }: Row): HarnessRow {
  return { id: plain(id), text: text === null ? null : plain(text), changed: plain(changed) };
}

/** A cell as text; a number, a boolean and a time have only one. */
function plain(cell: unknown): string {
  if (typeof cell === "string") return cell;
  if (cell instanceof Date) return cell.toISOString();
  return JSON.stringify(cell) ?? "undefined";
}
