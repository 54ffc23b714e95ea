import { describe, expect, it } from "vitest";

import type { OpenPullInput, PulledPages, PullSettings } from "../../../activities/pull/inputs.ts";
import { postingPagesPerActivity } from "../../../workflows/limits.ts";
import {
  fakeWorld,
  fault,
  goodRun,
  held,
  openedRun,
  nameInSearchOf,
  progressOf,
  wasCancelled,
  type Activities,
} from "../fake-world.ts";

const fakes = fakeWorld();
const input = { pull: "scores" };

/** The progress of a run of a pull after this many of three pages, with ten results each. */
function pulled(pages: number): PulledPages {
  const results = 10 * pages;
  const none = { repeated: 0, possiblyPaidTwice: 0, roundsDone: 0, missing: 0 };
  const counts = { read: results, results, written: 8 * pages, unchanged: pages, refused: pages };
  const domains = { domainsDone: pages, domainsRefused: 0 };
  const amounts = { ...none, ...counts, ...domains, pages, calls: pages };
  return { amounts, domains: 0, end: pages < 3 ? null : "done" };
}

/** The activities of a pull of three pages without any failure. */
function goodPull(settings: Partial<PullSettings> = {}): Partial<Activities> {
  let pages = 0;
  return {
    ...goodRun(1),
    openPull: async ({ runId }) => ({ ...openedRun(runId), settings: { ...short, ...settings } }),
    listDomains: async () => ({}),
    pullPages: async () => pulled((pages += 1)),
  };
}

const short: PullSettings = {
  heartbeatTimeoutMs: 2_000,
  retryInitialMs: 20,
  searchAttribute: false,
};

describe("a pull", () => {
  it("takes page after page of a search until there is no more, and shows what it did", async () => {
    const run = fakes(goodPull());
    const handle = await run.start("searchPull", input);
    expect(await handle.result()).toMatchObject({ outcome: "done" });
    expect(run.calls).toEqual(["openPull", ...Array<string>(3).fill("pullPages"), "closeRun done"]);
    expect(await progressOf(handle)).toMatchObject({
      sync: "scores",
      pull: { read: 30, written: 24, unchanged: 3, missing: 0, rejected: 3, pages: 3, calls: 3 },
    });
  });

  it.each([
    { type: "searchPull", reads: "search", pagesMax: 1, lists: 0 },
    { type: "jobPostingsPull", reads: "domains", pagesMax: postingPagesPerActivity, lists: 1 },
  ])("reads $reads, with $pagesMax pages in an activity", async ({ type, reads, ...much }) => {
    const opened: OpenPullInput[] = [];
    const pages: number[] = [];
    const good = goodPull();
    const run = fakes({
      ...good,
      openPull: async (asked) => {
        opened.push(asked);
        return { ...openedRun(asked.runId), settings: { ...short, searchAttribute: true } };
      },
      pullPages: async ({ pagesMax }) => {
        pages.push(pagesMax);
        return { ...pulled(3), domains: 3 };
      },
    });
    const handle = await run.run(type, { ...input, full: true, limit: 7 });
    expect(opened).toMatchObject([
      { pull: "scores", walks: reads, request: { full: true, limit: 7 } },
    ]);
    expect(pages).toEqual([much.pagesMax]);
    expect(run.callsOf("listDomains", "pullPages")).toHaveLength(1 + much.lists);
    const { pull } = await progressOf(handle);
    expect(pull?.domains).toEqual({ listed: 3, done: 3, refused: 0 });
    expect(await nameInSearchOf(handle)).toBe("scores");
  });

  it("continues in another execution as the same run, and shows all that it did", async () => {
    const shown: (number | undefined)[] = [];
    const run = fakes({
      ...goodPull({ stepsPerRun: 1 }),
      pullPages: async () => {
        shown.push((await progressOf(handle)).pull?.pages);
        return pulled(shown.length);
      },
    });
    const handle = await run.start("searchPull", input);
    await handle.result();
    expect(run.executions.size).toBe(3);
    expect(shown).toEqual([0, 1, 2]);
    expect(run.callsOf("openPull", "closeRun")).toEqual(["openPull", "closeRun done"]);
  });

  it("sleeps a long rate limit, and says so", async () => {
    let asked = 0;
    const run = fakes({
      ...goodPull(),
      pullPages: async () => {
        asked += 1;
        if (asked === 1) throw fault("RateLimited", { waitMs: 400 }, "slow down");
        return pulled(3);
      },
    });
    const handle = await run.start("searchPull", input);
    const waiting = await run.until(async () => (await progressOf(handle)).waiting);
    expect(waiting).toMatch(/^rate limited until \S+: slow down$/);
    expect(await handle.result()).toMatchObject({ outcome: "done" });
    expect((await progressOf(handle)).waiting).toBeNull();
  });

  it.each(["openPull", "pullPages"])("is closed when it is cancelled: at %s", async (at) => {
    const run = fakes({ ...goodPull(), [at]: async () => await held() });
    const handle = await run.start("searchPull", input);
    await run.begun(at);
    await handle.cancel();
    await expect(handle.result()).rejects.toMatchObject(wasCancelled);
    expect(run.calls.at(-1)).toBe("closeRun cancelled");
  });

  it.each([
    { at: "openPull", type: "Busy", outcome: "busy" },
    { at: "pullPages", type: "CreditsExhausted", outcome: "credits_exhausted" },
  ])("ends well with what became of it: $type", async ({ at, type, outcome }) => {
    const fail = async (): Promise<never> => {
      throw fault(type);
    };
    const run = fakes({ ...goodPull(), [at]: fail });
    const handle = await run.start("searchPull", input);
    expect(await handle.result()).toMatchObject({ outcome, error: { code: type } });
  });

  it("fails with its report when its pass does", async () => {
    const run = fakes({
      ...goodPull(),
      pullPages: async () => {
        throw fault("PassBroken", {}, "it moved");
      },
    });
    const handle = await run.run("searchPull", input);
    await expect(handle.result()).rejects.toMatchObject({
      cause: { type: "PassBroken", message: "it moved", details: [{ outcome: "failed" }] },
    });
    expect(run.callsOf("closeRun")).toEqual(["closeRun failed"]);
  });

  it("ends at once when its input cannot be used, with one to paste", async () => {
    const run = fakes({});
    const handle = await run.run("searchPull", { ...input, limits: 3 });
    await expect(handle.result()).rejects.toMatchObject({ cause: { type: "InvalidInput" } });
    await expect(handle.result()).rejects.toHaveProperty(
      "cause.message",
      expect.stringContaining('{"pull":"scores"'),
    );
    expect(run.calls).toEqual([]);
  });
});
