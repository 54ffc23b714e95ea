import type { FaultAction } from "../faults/faults.ts";
import { heldBackCursorStep, int32Max } from "../limits.ts";
import type { Found } from "./items-table.ts";
import type { Query } from "./query.ts";

type Meta = {
  readonly limit?: number;
  readonly total?: number;
  readonly has_next_page?: boolean;
  readonly next_cursor?: number | string;
};

/** A page as it is answered (docs/facts/service.md#pages). */
export type SandboxPage = {
  readonly data: readonly unknown[];
  readonly meta?: Meta;
};

/** The inputs of a page. */
export type PageOrder = {
  readonly query: Query;
  readonly fault: FaultAction | undefined;
  /** Returns the items found, from this offset on. */
  readonly find: (offset: number) => Found;
};

/**
 * Makes a page. A cursor is the number of items before the page; each page that a fault held back before it adds a
 * large step to it, so that cursors grow even where items do not follow.
 * @returns the page, and whether the fault had an occasion.
 */
export function searchPageOf({ query, fault, find }: PageOrder): {
  page: SandboxPage;
  isHit: boolean;
} {
  const { limit, cursor } = query;
  const asked = cursor % heldBackCursorStep;
  const shift = shiftOf(fault, asked);
  const { items, total } = find(asked + shift);
  const isHeldBack =
    fault !== undefined && "emptyPage" in fault && cursor + heldBackCursorStep <= int32Max;
  if (isHeldBack) {
    const meta = { limit, total, has_next_page: true, next_cursor: cursor + heldBackCursorStep };
    return { page: { data: [], meta }, isHit: true };
  }
  const isLast = asked + shift + items.length >= total;
  const next = isLast ? {} : { next_cursor: cursor + shift + items.length };
  const page = {
    data: items.map((item): unknown => JSON.parse(item)),
    meta: { limit, total, has_next_page: !isLast, ...next },
  };
  const spoilt = fault === undefined ? undefined : spoil(page, { fault, cursor });
  return { page: spoilt ?? page, isHit: shift !== 0 || spoilt !== undefined };
}

function shiftOf(fault: FaultAction | undefined, asked: number): number {
  if (fault === undefined || !("shiftPage" in fault)) return 0;
  if (fault.shiftPage === "skipped") return 1;
  return asked === 0 ? 0 : -1;
}

/** The page with the fault in it; undefined where the fault has no occasion. */
function spoil(
  { data, meta }: { readonly data: readonly unknown[]; readonly meta: Meta },
  { fault, cursor }: { readonly fault: FaultAction; readonly cursor: number },
): SandboxPage | undefined {
  if ("badCursor" in fault) {
    const { next_cursor: next = cursor + data.length, ...rest } = meta;
    const given = {
      loop: { next_cursor: cursor },
      shrink: { next_cursor: cursor - 1 },
      none: {},
      text: { next_cursor: String(next) },
      large: { next_cursor: int32Max + 1 },
    };
    return { data, meta: { ...rest, has_next_page: true, ...given[fault.badCursor] } };
  }
  if ("missingMeta" in fault) {
    if (fault.missingMeta === "all") return { data };
    const { [fault.missingMeta]: missing, ...rest } = meta;
    return missing === undefined ? undefined : { data, meta: rest };
  }
  if ("falseTotal" in fault) {
    return { data, meta: { ...meta, total: (meta.total ?? 0) + fault.falseTotal } };
  }
  if ("poisonItem" in fault) {
    const { poisonItem: place } = fault;
    if (place >= data.length) return undefined;
    return { data: data.map((item, index) => (index === place ? poisoned(item) : item)), meta };
  }
  return undefined;
}

/** An item without an identity: every member that could identify it is null. */
function poisoned(item: unknown): unknown {
  return { ...(typeof item === "object" ? item : {}), mk_id: null, job_opening_url: null };
}
