import { describe, expect, it } from "vitest";

import type { Look, LookInput } from "../../../activities/inbox/look-into-inbox.ts";
import type { OpenRunInput } from "../../../activities/inputs.ts";
import {
  detailsOf,
  fakeWorld,
  fault,
  goodRun,
  held,
  openedRun,
  wasCancelled,
  type Activities,
} from "../fake-world.ts";

const fakes = fakeWorld();
const input = { connection: "forms" };
const nothing: Look = { blocked: null, syncs: [], isAnswered: true };

/** The result of a look, after what happens meanwhile. */
type Found = Partial<Look> & { readonly meanwhile?: () => Promise<unknown> };

/** Looks into an inbox: each has its given result, and later ones find nothing. */
class Looks {
  /** The input of each look. */
  readonly asked: LookInput[] = [];
  readonly #found: readonly Found[];

  constructor(...found: readonly Found[]) {
    this.#found = found;
  }

  readonly look: Activities["lookIntoInbox"] = async (asking) => {
    this.asked.push(asking);
    const { meanwhile, ...found } = this.#found[this.asked.length - 1] ?? {};
    await meanwhile?.();
    return { ...nothing, ...found };
  };
}

/** The activities of a drain whose runs each send one chunk; the run of the sync `failing` cannot be opened. */
function drainOf(looks: Looks, failing?: string, type = "ConfigError"): Partial<Activities> {
  return {
    ...goodRun(1),
    lookIntoInbox: looks.look,
    openRun: async ({ sync, runId }) => {
      if (sync === failing) throw fault(type, {}, "no mapping");
      return openedRun(runId);
    },
  };
}

/** An input with which a drain continues whose sync `accounts` backs off for this long. */
function backingOff(ms: number): object {
  const accounts = { until: Date.now() + ms, failures: 1, why: "no mapping" };
  return { ...input, continued: { runs: 3, backoffs: { accounts } } };
}

describe("a drain", () => {
  it("sends what woke it at once, lingers before it looks again, and ends when nothing is left", async () => {
    const looks = new Looks({ syncs: ["accounts"] });
    const run = fakes(drainOf(looks));
    const handle = await run.start("inboxDrain", input);
    expect(await handle.result()).toEqual({ connection: "forms", runs: 1, blocked: null });
    const asked = { connection: "forms", backingOff: [] };
    expect(looks.asked).toEqual([
      { ...asked, linger: false },
      { ...asked, linger: true },
    ]);
  });

  it("makes a run for each sync with something unread, one after the other", async () => {
    const opened: OpenRunInput[] = [];
    const run = fakes({
      ...drainOf(new Looks({ syncs: ["accounts", "contacts"] })),
      openRun: async (asked) => {
        opened.push(asked);
        return openedRun(asked.runId);
      },
    });
    const handle = await run.start("inboxDrain", input);
    expect(await handle.result()).toMatchObject({ runs: 2 });
    expect(opened).toMatchObject(["accounts", "contacts"].map((sync) => ({ sync, kind: "inbox" })));
    expect(run.callsOf("openRun", "closeRun")).toEqual([
      "openRun",
      "closeRun done",
      "openRun",
      "closeRun done",
    ]);
  });

  it("looks again when it wakes while it looks for the last time", async () => {
    const looks = new Looks(
      { syncs: ["accounts"] },
      { meanwhile: async () => await handle.signal("wake") },
      { syncs: ["accounts"] },
    );
    const run = fakes(drainOf(looks));
    const handle = await run.start("inboxDrain", input);
    expect(await handle.result()).toMatchObject({ runs: 2 });
    expect(looks.asked).toHaveLength(4);
  });

  it("waits where a look says so, and then looks without lingering", async () => {
    const looks = new Looks(nothing, { waitMs: 100 });
    const run = fakes(drainOf(looks));
    const handle = await run.start("inboxDrain", input);
    await handle.result();
    expect(looks.asked.map(({ linger }) => linger)).toEqual([false, true, false]);
  });

  it("waits again where the look after the wait says so, and then sends what is unread", async () => {
    const unanswered = { isAnswered: false, waitMs: 100 };
    const looks = new Looks(nothing, unanswered, unanswered, { syncs: ["accounts"] });
    const run = fakes(drainOf(looks));
    const handle = await run.start("inboxDrain", input);
    expect(await handle.result()).toMatchObject({ runs: 1, blocked: null });
    expect(looks.asked.map(({ linger }) => linger)).toEqual([false, true, false, false, true]);
  });

  it("ends, and says why, when nothing can be sent", async () => {
    const run = fakes(drainOf(new Looks({ blocked: "the key was refused" })));
    const handle = await run.start("inboxDrain", input);
    expect(await handle.result()).toMatchObject({ runs: 0, blocked: "the key was refused" });
    expect(await detailsOf(handle)).toContain("the key was refused");
    expect(run.callsOf("openRun")).toEqual([]);
  });

  it("closes the run that a cancel meets, and ends as cancelled", async () => {
    const run = fakes({
      ...drainOf(new Looks({ syncs: ["accounts", "contacts"] })),
      uploadJson: async () => await held(),
    });
    const handle = await run.start("inboxDrain", input);
    await run.begun("uploadJson 1.0");
    await handle.cancel();
    await expect(handle.result()).rejects.toMatchObject(wasCancelled);
    expect(run.callsOf("openRun", "closeRun")).toEqual(["openRun", "closeRun cancelled"]);
  });

  it("ends at once when its input cannot be used", async () => {
    const run = fakes({});
    const handle = await run.run("inboxDrain", { connection: "Forms!" });
    await expect(handle.result()).rejects.toMatchObject({ cause: { type: "InvalidInput" } });
    expect(run.calls).toEqual([]);
  });
});

describe("a sync whose run fails", () => {
  it.each([
    { type: "ConfigError", outcome: "failed" },
    { type: "Busy", outcome: "busy" },
  ])("backs off while the others are sent, until it wakes: $type", async ({ type, outcome }) => {
    const looks = new Looks({ syncs: ["accounts", "contacts"] });
    const run = fakes(drainOf(looks, "accounts", type));
    const handle = await run.start("inboxDrain", input);
    await run.until(async () => (await detailsOf(handle)).includes("accounts backs off until"));
    expect(await detailsOf(handle)).toContain("no mapping");
    expect(run.callsOf("closeRun")).toEqual([`closeRun ${outcome}`, "closeRun done"]);
    expect(looks.asked).toHaveLength(2);
    await handle.signal("wake");
    await run.until(async () => looks.asked.length === 3);
    expect(looks.asked.slice(1).map((asked) => asked.backingOff)).toEqual([
      ["accounts"],
      ["accounts"],
    ]);
    await handle.cancel();
    await expect(handle.result()).rejects.toMatchObject(wasCancelled);
  });

  it("holds up no other that has to wait more than once", async () => {
    const unanswered = { isAnswered: false, waitMs: 100 };
    const looks = new Looks(unanswered, unanswered, { syncs: ["contacts"] }, { blocked: "done" });
    const run = fakes(drainOf(looks));
    const handle = await run.start("inboxDrain", backingOff(60_000));
    expect(await handle.result()).toMatchObject({ runs: 4, blocked: "done" });
    expect(looks.asked.map((asked) => asked.backingOff.join(","))).toEqual([
      "accounts",
      "accounts",
      "accounts",
      "accounts",
    ]);
  });

  it("is sent again when its backoff is over", async () => {
    const looks = new Looks(nothing, { syncs: ["accounts"] });
    const run = fakes(drainOf(looks));
    const handle = await run.start("inboxDrain", backingOff(1_500));
    expect(await handle.result()).toMatchObject({ runs: 4, blocked: null });
    expect(looks.asked.map((asked) => asked.backingOff)).toEqual([["accounts"], [], []]);
  });

  it("is not woken by what woke it before its wake-up was taken", async () => {
    const looks = new Looks({
      isAnswered: false,
      meanwhile: async () => await handle.signal("wake"),
    });
    const run = fakes(drainOf(looks));
    const handle = await run.start("inboxDrain", backingOff(1_500));
    await handle.result();
    expect(looks.asked.map((asked) => asked.backingOff)).toEqual([["accounts"], []]);
  });
});

describe("a drain that grows long", () => {
  it("continues in another execution between runs, with its backoffs and the number of its runs", async () => {
    const runsPerExecution = 1;
    const looks = new Looks(
      { syncs: ["accounts", "contacts"], runsPerExecution },
      { syncs: ["contacts"], runsPerExecution },
      { blocked: "no credits" },
    );
    const run = fakes(drainOf(looks, "accounts"));
    const handle = await run.start("inboxDrain", input);
    expect(await handle.result()).toMatchObject({ runs: 2, blocked: "no credits" });
    expect(looks.asked).toMatchObject([
      { linger: false, backingOff: [] },
      { linger: true, backingOff: ["accounts"] },
      { linger: true, backingOff: ["accounts"] },
    ]);
  });

  it("continues in the midst of a run, as the same run", async () => {
    const looks = new Looks({ syncs: ["accounts"] });
    const run = fakes({
      ...goodRun(3, { chunksPerRun: 1 }),
      lookIntoInbox: looks.look,
    });
    const handle = await run.start("inboxDrain", input);
    expect(await handle.result()).toMatchObject({ runs: 1 });
    expect(run.executions.size).toBe(3);
    expect(run.callsOf("openRun", "closeRun")).toEqual(["openRun", "closeRun done"]);
    expect(run.callsOf("commitChunk")).toEqual([1, 2, 3].map((n) => `commitChunk ${n}`));
  });
});

describe("a check", () => {
  it("answers what it did", async () => {
    const checked = { drained: ["forms"], blocked: null, removed: { events: 3, ids: 2, runs: 1 } };
    const run = fakes({ checkInboxes: async () => checked });
    const handle = await run.start("inboxCheck", undefined);
    expect(await handle.result()).toEqual(checked);
  });
});
