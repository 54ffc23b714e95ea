import { describe, expect, it } from "vitest";

import { emptyPagesMax } from "../../src/api/limits.ts";
import type { Pass } from "../../src/api/pass.ts";
import { SluiceError } from "../../src/errors.ts";
import { badCursors } from "../../src/sandbox/faults/fault-kinds.ts";
import type { SandboxFault } from "../../src/sandbox/faults/faults.ts";
import { pages } from "../src/api/pages.ts";
import { clientOf, firstPage } from "../src/api/support.ts";
import { temporaryFolder } from "../support/process/temporary-folder.ts";
import { SandboxView } from "../support/sandbox-view.ts";

/** Results a page, so that the sandbox's first accounts fill more than seven pages. */
const limit = 3;

/** The result of a pass over all accounts. */
type Passed = {
  readonly ids: readonly unknown[];
  readonly bad: readonly { readonly page: number; readonly index: number }[];
  readonly requests: number;
  readonly pass: Pass | undefined;
  /** The code of the error that ended it. */
  readonly stopped: string | undefined;
};

/** Makes a pass over all accounts of a sandbox with these faults. */
async function passWith(...faults: readonly Omit<SandboxFault, "step">[]): Promise<Passed> {
  const sandbox = await SandboxView.start(await temporaryFolder());
  for (const { do: action, ...when } of faults) sandbox.order("search", action, when);
  const client = clientOf(new URL(sandbox.address));
  const ids: unknown[] = [];
  const bad: { page: number; index: number }[] = [];
  let pass: Pass | undefined;
  let page = 0;
  let stopped: string | undefined;
  try {
    for await (const each of pages(client, { ...firstPage, query: { limit } })) {
      page += 1;
      pass = each.pass;
      ids.push(...each.page.items.map((item) => item["mk_id"]));
      for (const { index } of each.page.bad) bad.push({ page, index });
    }
  } catch (error) {
    if (!(error instanceof SluiceError)) throw error;
    stopped = error.code;
  }
  return { ids, bad, pass, stopped, requests: (await sandbox.ledger("search")).length };
}

/** The ids from a pass without any fault, and the total that the pages report. */
async function soundPass(): Promise<{ readonly ids: readonly unknown[]; readonly total: number }> {
  const { ids, pass } = await passWith();
  return { ids, total: pass?.total?.last ?? 0 };
}

describe("docs/facts/faults.md#pages: a pass over the pages of the sandbox", () => {
  it("brings every id once, and as many as the total says", async () => {
    const { ids, pass, stopped, requests } = await passWith();
    const total = new Set(ids).size;
    expect(total).toBeGreaterThan(7 * limit);
    expect(pass).toMatchObject({ isDone: true, seen: total, notes: [], total: { last: total } });
    expect({ ids: ids.length, stopped, requests }).toEqual({
      ids: total,
      stopped: undefined,
      requests: Math.ceil(total / limit),
    });
  });

  it.each(badCursors)("stops at once at a bad cursor: %s", async (badCursor) => {
    const { stopped, requests } = await passWith({ do: { badCursor }, after: 1 });
    expect({ stopped, requests }).toEqual({ stopped: "ContractBroken", requests: 2 });
  });

  it("stops where another page follows and the cursor is missing", async () => {
    const { stopped, requests } = await passWith({ do: { missingMeta: "next_cursor" }, after: 1 });
    expect({ stopped, requests }).toEqual({ stopped: "ContractBroken", requests: 2 });
  });

  it("does not know what a page without any meta was", async () => {
    const { stopped } = await passWith({ do: { missingMeta: "all" } });
    expect(stopped).toBe("OutcomeUnknown");
  });

  it("takes a page that does not say whether one follows for the last, and says so", async () => {
    const { total } = await soundPass();
    const { pass, requests } = await passWith({ do: { missingMeta: "has_next_page" }, after: 1 });
    expect(requests).toBe(2);
    expect(pass).toMatchObject({
      isDone: true,
      notes: ["end not stated", `${2 * limit} results came, the total says ${total}`],
    });
  });

  it.each(["limit", "total"] as const)("does without the %s", async (missingMeta) => {
    const { ids } = await soundPass();
    const made = await passWith({ do: { missingMeta }, oneIn: 1 });
    expect(made).toMatchObject({ ids, pass: { isDone: true, notes: [] } });
  });

  it("notes a total that is too large, and one that changes", async () => {
    const { ids, total } = await soundPass();
    const always = await passWith({ do: { falseTotal: 5 }, oneIn: 1 });
    const says = `${total} results came, the total says ${total + 5}`;
    expect(always).toMatchObject({ ids, pass: { isDone: true, notes: [says] } });
    const once = await passWith({ do: { falseTotal: 1 }, after: 2 });
    const changed = `total changed from ${total + 1} to ${total}`;
    expect(once).toMatchObject({ ids, pass: { isDone: true, notes: [changed] } });
  });

  it("stops when many more pages come than the total makes expect", async () => {
    const { total } = await soundPass();
    const { stopped, requests } = await passWith({ do: { falseTotal: 1 - total }, oneIn: 1 });
    expect({ stopped, requests }).toEqual({ stopped: "ContractBroken", requests: 3 });
  });

  it("follows as many empty pages in a row as it may, and no more", async () => {
    const { ids } = await soundPass();
    const empty = { do: { emptyPage: true }, after: 1 } as const;
    const followed = await passWith({ ...empty, times: emptyPagesMax });
    expect(followed).toMatchObject({ ids, pass: { isDone: true, notes: [] } });
    const { stopped, requests } = await passWith({ ...empty, times: emptyPagesMax + 1 });
    expect({ stopped, requests }).toEqual({
      stopped: "ContractBroken",
      requests: 2 + emptyPagesMax,
    });
  });

  it.each([
    ["repeated", 1],
    ["skipped", -1],
  ] as const)("notes ids that shifted: %s", async (shiftPage, more) => {
    const { total } = await soundPass();
    const { pass } = await passWith({ do: { shiftPage }, after: 3 });
    const says = `${total + more} results came, the total says ${total}`;
    expect(pass).toMatchObject({ isDone: true, notes: [says] });
  });

  it("leaves out a poison item on page 7, and it alone", async () => {
    const { ids } = await soundPass();
    const made = await passWith({ do: { poisonItem: 1 }, after: 6 });
    expect(made.bad).toEqual([{ page: 7, index: 1 }]);
    expect(made.ids).toEqual(ids.filter((_, at) => at !== 6 * limit + 1));
    expect(made.pass).toMatchObject({ isDone: true, notes: [] });
  });

  it("keeps what it has when the credits are exhausted, and pays for no more", async () => {
    const answer = { status: 429, body: { message: "Credits exhausted" } };
    const { ids, pass, stopped, requests } = await passWith({ do: answer, after: 2 });
    expect({ ids: ids.length, stopped, requests }).toEqual({
      ids: 2 * limit,
      stopped: "CreditsExhausted",
      requests: 3,
    });
    expect(pass).toMatchObject({ isDone: false, cursor: 2 * limit });
  });
});
