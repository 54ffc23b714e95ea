import { describe, expect, it } from "vitest";

import { emptyPagesMax } from "../../src/api/limits.ts";
import type { Walk } from "../../src/api/pass.ts";
import { SluiceError } from "../../src/errors.ts";
import { badCursors } from "../../src/sandbox/faults/fault-kinds.ts";
import type { SandboxFault } from "../../src/sandbox/faults/faults.ts";
import { pages } from "../src/api/pages.ts";
import { clientOf, firstPage } from "../src/api/support.ts";
import { temporaryFolder } from "../support/process/temporary-folder.ts";
import { SandboxView } from "../support/sandbox-view.ts";

/** Results a page, so that the sandbox's first accounts fill more than seven pages. */
const limit = 3;

/** The result of a walk over all accounts. */
type Walked = {
  readonly ids: readonly unknown[];
  readonly bad: readonly { readonly page: number; readonly index: number }[];
  readonly requests: number;
  readonly walk: Walk | undefined;
  /** The code of the error that ended it. */
  readonly stopped: string | undefined;
};

/** Walks over all accounts of a sandbox with these faults. */
async function walkWith(...faults: readonly Omit<SandboxFault, "step">[]): Promise<Walked> {
  const sandbox = await SandboxView.start(await temporaryFolder());
  for (const { do: action, ...when } of faults) sandbox.order("search", action, when);
  const client = clientOf(new URL(sandbox.address));
  const ids: unknown[] = [];
  const bad: { page: number; index: number }[] = [];
  let walk: Walk | undefined;
  let page = 0;
  let stopped: string | undefined;
  try {
    for await (const each of pages(client, { ...firstPage, query: { limit } })) {
      page += 1;
      walk = each.walk;
      ids.push(...each.page.items.map((item) => item["mk_id"]));
      for (const { index } of each.page.bad) bad.push({ page, index });
    }
  } catch (error) {
    if (!(error instanceof SluiceError)) throw error;
    stopped = error.code;
  }
  return { ids, bad, walk, stopped, requests: (await sandbox.ledger("search")).length };
}

/** The ids from a walk without any fault, and the total that the pages report. */
async function soundWalk(): Promise<{ readonly ids: readonly unknown[]; readonly total: number }> {
  const { ids, walk } = await walkWith();
  return { ids, total: walk?.total?.last ?? 0 };
}

describe("docs/facts/faults.md#pages: a walk over the pages of the sandbox", () => {
  it("brings every id once, and as many as the total says", async () => {
    const { ids, walk, stopped, requests } = await walkWith();
    const total = new Set(ids).size;
    expect(total).toBeGreaterThan(7 * limit);
    expect(walk).toMatchObject({ isDone: true, seen: total, notes: [], total: { last: total } });
    expect({ ids: ids.length, stopped, requests }).toEqual({
      ids: total,
      stopped: undefined,
      requests: Math.ceil(total / limit),
    });
  });

  it.each(badCursors)("stops at once at a bad cursor: %s", async (badCursor) => {
    const { stopped, requests } = await walkWith({ do: { badCursor }, after: 1 });
    expect({ stopped, requests }).toEqual({ stopped: "ContractBroken", requests: 2 });
  });

  it("stops where another page follows and the cursor is missing", async () => {
    const { stopped, requests } = await walkWith({ do: { missingMeta: "next_cursor" }, after: 1 });
    expect({ stopped, requests }).toEqual({ stopped: "ContractBroken", requests: 2 });
  });

  it("does not know what a page without any meta was", async () => {
    const { stopped } = await walkWith({ do: { missingMeta: "all" } });
    expect(stopped).toBe("OutcomeUnknown");
  });

  it("takes a page that does not say whether one follows for the last, and says so", async () => {
    const { total } = await soundWalk();
    const { walk, requests } = await walkWith({ do: { missingMeta: "has_next_page" }, after: 1 });
    expect(requests).toBe(2);
    expect(walk).toMatchObject({
      isDone: true,
      notes: ["end not stated", `${2 * limit} results came, the total says ${total}`],
    });
  });

  it.each(["limit", "total"] as const)("does without the %s", async (missingMeta) => {
    const { ids } = await soundWalk();
    const walked = await walkWith({ do: { missingMeta }, oneIn: 1 });
    expect(walked).toMatchObject({ ids, walk: { isDone: true, notes: [] } });
  });

  it("notes a total that is too large, and one that changes", async () => {
    const { ids, total } = await soundWalk();
    const always = await walkWith({ do: { falseTotal: 5 }, oneIn: 1 });
    const says = `${total} results came, the total says ${total + 5}`;
    expect(always).toMatchObject({ ids, walk: { isDone: true, notes: [says] } });
    const once = await walkWith({ do: { falseTotal: 1 }, after: 2 });
    const changed = `total changed from ${total + 1} to ${total}`;
    expect(once).toMatchObject({ ids, walk: { isDone: true, notes: [changed] } });
  });

  it("stops when many more pages come than the total makes expect", async () => {
    const { total } = await soundWalk();
    const { stopped, requests } = await walkWith({ do: { falseTotal: 1 - total }, oneIn: 1 });
    expect({ stopped, requests }).toEqual({ stopped: "ContractBroken", requests: 3 });
  });

  it("follows as many empty pages in a row as it may, and no more", async () => {
    const { ids } = await soundWalk();
    const empty = { do: { emptyPage: true }, after: 1 } as const;
    const followed = await walkWith({ ...empty, times: emptyPagesMax });
    expect(followed).toMatchObject({ ids, walk: { isDone: true, notes: [] } });
    const { stopped, requests } = await walkWith({ ...empty, times: emptyPagesMax + 1 });
    expect({ stopped, requests }).toEqual({
      stopped: "ContractBroken",
      requests: 2 + emptyPagesMax,
    });
  });

  it.each([
    ["repeated", 1],
    ["skipped", -1],
  ] as const)("notes ids that shifted: %s", async (shiftPage, more) => {
    const { total } = await soundWalk();
    const { walk } = await walkWith({ do: { shiftPage }, after: 3 });
    const says = `${total + more} results came, the total says ${total}`;
    expect(walk).toMatchObject({ isDone: true, notes: [says] });
  });

  it("leaves out a poison item on page 7, and it alone", async () => {
    const { ids } = await soundWalk();
    const walked = await walkWith({ do: { poisonItem: 1 }, after: 6 });
    expect(walked.bad).toEqual([{ page: 7, index: 1 }]);
    expect(walked.ids).toEqual(ids.filter((_, at) => at !== 6 * limit + 1));
    expect(walked.walk).toMatchObject({ isDone: true, notes: [] });
  });

  it("keeps what it has when the credits are exhausted, and pays for no more", async () => {
    const answer = { status: 429, body: { message: "Credits exhausted" } };
    const { ids, walk, stopped, requests } = await walkWith({ do: answer, after: 2 });
    expect({ ids: ids.length, stopped, requests }).toEqual({
      ids: 2 * limit,
      stopped: "CreditsExhausted",
      requests: 3,
    });
    expect(walk).toMatchObject({ isDone: false, cursor: 2 * limit });
  });
});
