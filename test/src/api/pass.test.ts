import { describe, expect, it } from "vitest";

import { emptyPagesMax, extraPagesMax, cursorMax } from "../../../src/api/limits.ts";
import {
  afterPage,
  beginPass,
  nextCursor,
  passSchema,
  withSmallerPages,
} from "../../../src/api/pass.ts";
import type { Pass } from "../../../src/api/pass.ts";
import type { SearchPage } from "../../../src/api/search.ts";
import { ApiContractError, TooLargeError } from "../../../src/errors.ts";
import { foundAccount, rejection } from "./support.ts";

/** A page of this many results. */
function page(results: number, meta: SearchPage["meta"] = {}): SearchPage {
  return { items: Array.from({ length: results }, () => foundAccount), bad: [], meta };
}

/** A page that another follows. */
function more(results: number, next: number, total?: number): SearchPage {
  return page(results, { hasNextPage: true, nextCursor: next, total });
}

function passOf(...came: readonly SearchPage[]): Pass {
  return came.reduce(afterPage, beginPass(10));
}

/** Full pages of ten, the last of which also says that another follows. */
function fullPages(count: number, total: number): SearchPage[] {
  return Array.from({ length: count }, (_, at) => more(10, (at + 1) * 10, total));
}

describe("a pass over pages", () => {
  it("asks for the first page without a cursor, then with the one that was told", () => {
    expect(nextCursor(beginPass(10))).toBeUndefined();
    const pass = passOf(more(10, 10), more(10, 25));
    expect(nextCursor(pass)).toBe(25);
    expect(pass).toMatchObject({ isDone: false, seen: 20, notes: [] });
  });

  it("is done after a page that no other follows, and asks for nothing then", () => {
    const pass = passOf(more(10, 10, 13), page(3, { hasNextPage: false, total: 13 }));
    expect(pass).toMatchObject({ isDone: true, seen: 13, notes: [] });
    expect(nextCursor(pass)).toBeUndefined();
  });

  it("stops where has_next_page is false, though a next_cursor is told", () => {
    const pass = passOf(page(10, { hasNextPage: false, nextCursor: 10 }));
    expect(pass.isDone).toBe(true);
    expect(nextCursor(pass)).toBeUndefined();
  });

  it("takes a page that says nothing of a next one for the last, and notes it", () => {
    expect(passOf(page(3))).toMatchObject({ isDone: true, notes: ["end not stated"] });
    const pass = passOf(page(10, { total: 12, nextCursor: 10 }));
    expect(pass.notes).toEqual(["end not stated", "10 results came, the total says 12"]);
  });

  it("counts results of a wrong shape as results", () => {
    const bad = [{ index: 2, reason: "mk_id: Invalid input" }];
    const pass = afterPage(beginPass(10), { ...page(2, { hasNextPage: false, total: 3 }), bad });
    expect(pass).toMatchObject({ isDone: true, seen: 3, notes: [] });
  });

  it("continues from what was kept as JSON", () => {
    for (const pass of [beginPass(10), passOf(more(10, 10, 20)), passOf(page(3))]) {
      expect(passSchema.parse(JSON.parse(JSON.stringify(pass)))).toEqual(pass);
    }
  });
});

describe("faults of the pages (docs/facts/faults.md#pages)", () => {
  it("stops when another page follows and its cursor is missing", () => {
    const last = page(10, { hasNextPage: true });
    expect(() => passOf(last)).toThrow(ApiContractError);
    expect(() => passOf(last)).toThrow("next_cursor is missing");
  });

  it.each([
    ["is told again", 20],
    ["shrinks", 19],
    ["was told before", 10],
    ["is that of the first page", 0],
    ["is negative", -1],
  ])("stops at a cursor that %s", (_, next) => {
    const pass = (): unknown => passOf(more(10, 10), more(10, 20), more(10, next));
    expect(pass).toThrow(ApiContractError);
    expect(pass).toThrow("cursor loop");
  });

  it("stops at a first page that leads to itself", () => {
    expect(() => passOf(more(10, 0))).toThrow("cursor loop");
    expect(nextCursor(passOf(more(10, 1)))).toBe(1);
  });

  it("continues as far as a cursor can count", () => {
    expect(nextCursor(passOf(more(10, cursorMax - 1), more(10, cursorMax)))).toBe(cursorMax);
  });

  it.each([emptyPagesMax - 1, emptyPagesMax])("follows %i empty pages in a row", (empty) => {
    const pagesOf = Array.from({ length: empty }, (_, at) => more(0, at + 1));
    expect(passOf(...pagesOf)).toMatchObject({ isDone: false, seen: 0 });
  });

  it("does not follow one empty page more", () => {
    const empty = Array.from({ length: emptyPagesMax + 1 }, (_, at) => more(0, at + 1));
    expect(() => passOf(...empty)).toThrow(ApiContractError);
    const apart = [more(0, 1), more(0, 2), more(0, 3), more(1, 4), more(0, 5), more(0, 6)];
    expect(passOf(...apart)).toMatchObject({ isDone: false, seen: 1 });
  });

  it("takes an empty last page for the end, however many there were before", () => {
    const empty = Array.from({ length: emptyPagesMax }, (_, at) => more(0, at + 1));
    expect(passOf(...empty, page(0, { hasNextPage: false, total: 0 }))).toMatchObject({
      isDone: true,
      notes: [],
    });
  });

  it.each([extraPagesMax - 1, extraPagesMax])(
    "bears %i more pages than a total that is too small makes expect",
    (extra) => {
      // The following page is one of them.
      expect(passOf(...fullPages(2 + extra, 25)).isDone).toBe(false);
    },
  );

  it("does not ask for a page beyond those", () => {
    expect(() => passOf(...fullPages(3 + extraPagesMax, 25))).toThrow(ApiContractError);
    const last = page(5, { hasNextPage: false, total: 25 });
    expect(passOf(...fullPages(2 + extraPagesMax, 25), last)).toMatchObject({
      isDone: true,
      notes: ["45 results came, the total says 25"],
    });
  });

  it("does not count empty pages among those", () => {
    const came = fullPages(1 + extraPagesMax, 15);
    const last = came.length * 10;
    const empty = [more(0, last + 1, 15), more(0, last + 2, 15), more(0, last + 3, 15)];
    expect(passOf(...came, ...empty)).toMatchObject({ isDone: false, seen: last });
    expect(() => passOf(...came, ...empty, more(10, last + 4, 15))).toThrow(ApiContractError);
  });

  it("goes by the greatest total that was told", () => {
    const came = [...fullPages(3 + extraPagesMax, 65), more(10, 100, 25)];
    expect(passOf(...came)).toMatchObject({ isDone: false, total: { last: 25, greatest: 65 } });
  });

  it("bears a service that gives fewer results than it is asked for", () => {
    const short = Array.from({ length: 29 }, (_, at) => more(1, at + 1, 30));
    expect(passOf(...short, page(1, { hasNextPage: false, total: 30 }))).toMatchObject({
      isDone: true,
      notes: [],
    });
  });

  it("stops at a total of nothing that does not end", () => {
    expect(() => passOf(more(10, 10, 0), more(10, 20, 0))).toThrow(ApiContractError);
  });

  it("notes a total that changes, the last change alone, and continues", () => {
    const pass = passOf(more(10, 10, 40), more(10, 20, 41), more(10, 30, 39), more(10, 40, 39));
    expect(pass).toMatchObject({ isDone: false, notes: ["total changed from 41 to 39"] });
    expect(passOf(more(10, 10, 40), more(10, 20), more(10, 30, 40)).notes).toEqual([]);
  });

  it("notes that ids shifted, so that fewer results came than there are", () => {
    const pass = passOf(
      more(10, 10, 30),
      more(9, 20, 30),
      page(10, { hasNextPage: false, total: 30 }),
    );
    expect(pass.notes).toEqual(["29 results came, the total says 30"]);
  });

  it("says of every page it stops at that it may have been paid for", async () => {
    for (const stop of [more(10, 0), page(1, { hasNextPage: true }), more(1, 1, 0)]) {
      const came = Array.from({ length: 9 }, () => stop);
      const error = await rejection(Promise.try(() => passOf(...came)));
      expect(error).toMatchObject({ code: "ContractBroken", mayHaveSucceeded: true });
    }
  });
});

describe("withSmallerPages", () => {
  const cause = new TooLargeError("POST /search/accounts: 413");

  it("halves the limit and keeps the place", () => {
    const pass = passOf(more(10, 10, 20));
    expect(withSmallerPages(pass, cause)).toEqual({ ...pass, limit: 5 });
    expect(withSmallerPages({ ...pass, limit: 3 }, cause).limit).toBe(1);
    expect(withSmallerPages({ ...pass, limit: 2 }, cause).limit).toBe(1);
  });

  it("stops when a page of one result was too large", () => {
    expect(() => withSmallerPages(beginPass(1), cause)).toThrow(ApiContractError);
    expect(() => withSmallerPages(beginPass(1), cause)).toThrow("413, for a page of one result");
  });
});
