import { isPlainObject } from "../../src/records/json-value.ts";
import { counted } from "../../src/text/quantities.ts";
import type { Page, ReadRequest, Row } from "../contract/connector.ts";
import { silentLog, type Log } from "../contract/request.ts";
import { HttpClient, type ClientOptions, type Get } from "./client.ts";
import { coveredBy, covering, type Coverage } from "./covered.ts";
import { entriesOf, pageOf, signOf, textOf, type Entry, type EntryNames } from "./entries.ts";
import { wrong } from "./faults.ts";
import { clockOffMsMax } from "./limits.ts";
import type { PagePosition } from "./position.ts";
import { isAhead } from "./times.ts";

/** A page of an API's list. */
export type ListPage = {
  /** Its items, in the order of the API. An item that is not an object becomes a reject. */
  readonly items: readonly unknown[];
  /**
   * Names the next page by text or a number: a cursor, a page number, an address. Without either it is the
   * last page; anything else is an error, unless it is empty.
   */
  readonly next?: unknown;
  /** Whether the API has more items but names no next page: an error, unless the rows so far are all that is wanted. */
  readonly isCut?: boolean | undefined;
};

/** A list that an API gives in pages. */
export type PagedList = EntryNames &
  ClientOptions & {
    /** Names the first page. Where it is a whole number, pages have numbers or offsets. @default "" */
    readonly first?: string | number | undefined;
    /** Distinguishes this list from others: positions of another list do not count. @default "" */
    readonly of?: string | undefined;
    /** Fetches a page. `since` is empty, or the change from which rows are wanted (including it or not). */
    fetch(request: {
      readonly page: string;
      readonly since: string;
      readonly get: Get;
    }): Promise<ListPage>;
  };

/**
 * Reads a list that an API gives in pages: the `read` of a connector whose `position` is `pagePosition`. Without
 * `changedBy` each run reads the whole list (say so: `restart: () => "each-run"`). With it, a run reads what changed
 * since the last one, and loses no row that moves to another page meanwhile; rows that are stamped later than now wait
 * for a run after their time, and `log` hears of them.
 * @throws what `Get` throws. @throws {ConfigError} a page comes again and again, or rows are not in the order of their
 * changes.
 */
export async function* paginate(
  request: Omit<ReadRequest<unknown, PagePosition>, "config" | "log"> & { readonly log?: Log },
  list: PagedList,
): AsyncGenerator<Page<Row, PagePosition>> {
  const { to, pageRowsMax, limit = Infinity } = request;
  const walk = new Walk(request, list);
  let left = limit;
  await using client = new HttpClient(request.signal, list);
  while (left > 0) {
    const { page, since } = walk;
    const { items, next, isCut = false } = await list.fetch({ page, since, get: client.get });
    const entries = walk.newOf(items);
    if (entries === undefined) continue;
    for (let index = 0; index < entries.length && left > 0; index += pageRowsMax) {
      const taken = entries.slice(index, index + pageRowsMax);
      left -= taken.length;
      yield pageOf(taken, walk.cover(taken));
    }
    if (walk.beginAnew()) continue;
    if (isCut && to === undefined && left > 0 && !walk.endsAhead) {
      throw wrong("a full page, no next one", list.fields?.next);
    }
    if (walk.isAtEnd()) return;
    const following = textOf(next);
    if (following === "" && isSomething(next)) {
      throw wrong("the name of the next page is neither a text nor a number", list.fields?.next);
    }
    if (following === "") {
      walk.tellAhead();
      return;
    }
    walk.goTo(following, items);
  }
}

/** Whether a value that names no page is more than an API's word for nothing: ending there would leave out pages. */
function isSomething(next: unknown): boolean {
  if (Array.isArray(next) || isPlainObject(next)) return Object.keys(next).length > 0;
  return next === true || (typeof next === "object" && next !== null);
}

/** How far a read of a list came, and which page it asks for next. */
class Walk {
  readonly #list: PagedList;
  readonly #coverage: Coverage;
  readonly #first: string;
  readonly #to: PagePosition | undefined;
  #done: PagePosition;
  /** The name of the page that is asked for. */
  page: string;
  /** The change from which the page is asked for; empty without a change column. */
  since: string;
  /** The group of the last entry before the page. */
  #group: string;
  #isFirst = true;
  #wasUnsorted = false;
  /** Whether the API gives the rows of the change it is asked from; undefined while nothing shows it. */
  #isInclusive: boolean | undefined;
  #loop = new LoopGuard();
  readonly #log: Log;
  /** Entries stamped later than now that were met since the list was last asked for anew. */
  #aheadCount = 0;
  /** Whether the page ends with such an entry: everything after it is later still. */
  endsAhead = false;

  constructor(
    {
      from,
      to,
      log = silentLog,
    }: Partial<Pick<ReadRequest<unknown, PagePosition>, "from" | "to" | "log">>,
    list: PagedList,
  ) {
    const { first = "", of = "", changedBy, fields } = list;
    const isWhole = changedBy === undefined;
    this.#list = list;
    this.#coverage = { isWhole, field: fields?.changedBy };
    this.#first = String(first);
    this.#to = to;
    this.#log = log;
    const begin = { of, since: "", at: isWhole ? this.#first : "", seen: [] };
    // A position of another list says nothing about this one: everything is read again.
    this.#done = from?.of === of ? (isWhole ? from : notAhead(from, begin)) : begin;
    this.page = isWhole ? this.#done.at : this.#first;
    this.since = isWhole ? "" : this.#done.since;
    this.#group = this.since;
  }

  /**
   * The entries of the page that are to be read. Undefined: the list is asked for anew, because rows that the API shows
   * late moved others from page to page. @throws {ConfigError} that happens twice: the list has no order.
   */
  newOf(items: readonly unknown[]): readonly Entry[] | undefined {
    const { isWhole } = this.#coverage;
    const before = isWhole ? this.page : this.#group;
    const entries = entriesOf(items, this.#list, { group: before, isFirst: this.#isFirst });
    if (entries === undefined) {
      if (this.#wasUnsorted) throw wrong("rows unsorted", this.#list.fields?.order);
      this.#restart();
      this.#wasUnsorted = true;
      return undefined;
    }
    this.#group = entries.at(-1)?.group ?? this.#group;
    const known = coveredBy(this.#done, entries, this.#coverage);
    const wanted = this.#wantedOf(entries) ?? this.#untilNow(entries);
    const found = entries.filter((entry) => !known.has(entry) && wanted?.has(entry) !== false);
    return this.#askElsewhere(entries, found) ? undefined : found;
  }

  /**
   * Whether the list is asked for anew from the last change that was read. A page behind others that held only known
   * rows may lack some, which moved to the page before it and would count as read: an API that gives the rows of the
   * change it is asked from gives them all then.
   */
  #askElsewhere(entries: readonly Entry[], found: readonly Entry[]): boolean {
    const { since, at } = this.#done;
    if (this.#coverage.isWhole || at === since) return false;
    if (this.#isFirst) {
      const isInclusive = entries.some(({ group }) => group === this.since);
      this.#isInclusive ??= isInclusive || undefined;
      if (this.since !== at || isInclusive) return false;
      // It leaves out this one: rows of its time may be left.
      this.#isInclusive = false;
      this.#restart();
      return true;
    }
    if (this.#isInclusive !== true || this.since === at) return false;
    if (found.every(({ group }) => group === at)) return false;
    this.#restart(at);
    return true;
  }

  /** The entries that are not stamped later than now; undefined for all. */
  #untilNow(entries: readonly Entry[]): ReadonlySet<Entry> | undefined {
    if (this.#coverage.isWhole) return undefined;
    const found = new Set(entries.filter(({ group }) => !isAhead(group)));
    this.#aheadCount += entries.length - found.size;
    const last = entries.at(-1);
    this.endsAhead = last !== undefined && !found.has(last);
    return found;
  }

  /** Says how many entries are left for a run after their time. */
  tellAhead(): void {
    if (this.#aheadCount === 0) return;
    const rows = counted(this.#aheadCount, "row");
    this.#log.warn(`${rows} stamped later than now, left for a run after that time`);
  }

  /** The entries that `to` covers; undefined for all. */
  #wantedOf(entries: readonly Entry[]): ReadonlySet<Entry> | undefined {
    if (this.#to === undefined) return undefined;
    if (this.#coverage.isWhole && this.page !== this.#to.at) return undefined;
    return coveredBy(this.#to, entries, this.#coverage);
  }

  /** The position after the entries. */
  cover(entries: readonly Entry[]): PagePosition {
    this.#done = covering(this.#done, entries, this.#coverage);
    return this.#done;
  }

  /**
   * Whether the list is asked for anew, from a later change on: a row that changes leaves its place and moves others to
   * the page before, so the next page may lack some.
   */
  beginAnew(): boolean {
    const { since, at } = this.#done;
    if (this.#coverage.isWhole || this.since === since || this.since === at) return false;
    this.#restart();
    this.#wasUnsorted = false;
    return true;
  }

  /** Whether the page is the last that `to` covers. */
  isAtEnd(): boolean {
    return this.#coverage.isWhole && this.page === this.#to?.at;
  }

  goTo(next: string, items: readonly unknown[]): void {
    // Names of numbered pages differ even when the API ignores them: so their contents are compared.
    const sign = /^\d+$/.test(this.#first) && items.length > 0 ? signOf(items) : next;
    if (!this.#loop.passes(sign)) {
      throw wrong("one cursor or page comes again and again", this.#list.fields?.next);
    }
    this.page = next;
    this.#isFirst = false;
  }

  #restart(since = this.#done.since): void {
    this.page = this.#first;
    this.since = since;
    this.#group = since;
    this.#isFirst = true;
    this.#loop = new LoopGuard();
    this.#aheadCount = 0;
  }
}

/**
 * A position as it was before a row that is stamped later than now, which former versions went on from: what changes
 * until then counted as read.
 */
function notAhead(position: PagePosition, begin: PagePosition): PagePosition {
  const { since, at } = position;
  if (!isAhead(at, clockOffMsMax)) return position;
  return isAhead(since, clockOffMsMax) ? begin : { ...position, at: since, seen: [] };
}

/** Notices a loop of pages of any length, while it holds one page's sign: of the 1st, 2nd, 4th, 8th … page. */
class LoopGuard {
  #mark: string | undefined;
  #pages = 0;
  #nextMark = 1;

  passes(sign: string): boolean {
    if (sign === this.#mark) return false;
    this.#pages += 1;
    if (this.#pages === this.#nextMark) {
      this.#mark = sign;
      this.#nextMark *= 2;
    }
    return true;
  }
}
