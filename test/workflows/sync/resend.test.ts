import { describe, expect, it } from "vitest";

import type { OpenRunInput } from "../../../activities/inputs.ts";
import type { DoubtLook } from "../../../activities/run/settle-doubts.ts";
import {
  detailsOf,
  fakeWorld,
  fault,
  goodRun,
  held,
  heldUntil,
  openedRun,
  wasCancelled,
  type Activities,
} from "../fake-world.ts";

const fakes = fakeWorld();
const input = { sync: "accounts" };
const nothing: DoubtLook = { inDoubt: 0, due: 0 };

/** The doubts that each look finds, and nothing after the last. */
function finding(...found: readonly DoubtLook[]): Pick<Activities, "lookForDoubts"> {
  const left = [...found];
  return { lookForDoubts: async () => left.shift() ?? nothing };
}

describe("a resend", () => {
  it("ends without a run when nothing is in doubt", async () => {
    const run = fakes(finding());
    const handle = await run.start("resend", input);
    expect(await handle.result()).toEqual({});
    expect(run.calls).toEqual(["lookForDoubts"]);
  });

  it("makes one run of what is due, however many chunks it has, and looks again", async () => {
    const opened: OpenRunInput[] = [];
    const run = fakes({
      ...goodRun(3),
      ...finding({ inDoubt: 5, due: 5 }),
      openRun: async (asked) => {
        opened.push(asked);
        return openedRun(asked.runId, { chunksPerRun: 1 });
      },
    });
    const handle = await run.start("resend", input);
    await handle.result();
    expect(opened).toMatchObject([{ sync: "accounts", kind: "resend", request: {} }]);
    expect(run.callsOf("commitChunk")).toEqual([1, 2, 3].map((n) => `commitChunk ${n}`));
    expect(run.callsOf("lookForDoubts", "closeRun")).toEqual([
      "lookForDoubts",
      "closeRun done",
      "lookForDoubts",
    ]);
  });

  it.each([
    { when: "finds nothing", found: [], closed: [] },
    { when: "has sent", found: [{ inDoubt: 1, due: 1 }], closed: ["closeRun done"] },
  ])("looks once more when it is woken while its last look $when", async ({ found, closed }) => {
    const gate = Promise.withResolvers<void>();
    const left = [...found, nothing, { inDoubt: 2, due: 2 }];
    const run = fakes({
      ...goodRun(1),
      lookForDoubts: async () => {
        const look = left.shift() ?? nothing;
        if (look === nothing) await heldUntil(gate.promise);
        return look;
      },
    });
    const handle = await run.start("resend", input);
    await run.begun("lookForDoubts", found.length + 1);
    await handle.signal("wake");
    gate.resolve();
    await handle.result();
    expect(run.callsOf("closeRun")).toEqual([...closed, "closeRun done"]);
    // One look before the run that sends what the signal was about, and one after it.
    expect(run.callsOf("lookForDoubts")).toHaveLength(found.length + 3);
  });

  it("waits, and says so, until what is in doubt is due", async () => {
    const run = fakes({
      ...goodRun(1),
      ...finding({ inDoubt: 2, due: 0, waitMs: 10 }, { inDoubt: 2, due: 2 }),
    });
    const handle = await run.start("resend", input);
    await run.until(async () => (await detailsOf(handle)).includes("over 2 records of accounts"));
    expect(run.callsOf("openRun")).toEqual([]);
    await handle.result();
    expect(run.callsOf("lookForDoubts", "closeRun")).toEqual([
      "lookForDoubts",
      "lookForDoubts",
      "closeRun done",
      "lookForDoubts",
    ]);
  });

  it("waits after a run that fails, and ends with a cancel", async () => {
    const due = { inDoubt: 2, due: 2 };
    const run = fakes({
      ...goodRun(1),
      ...finding(due, due),
      uploadJson: async () => {
        throw fault("AuthFailed");
      },
    });
    const handle = await run.start("resend", input);
    await run.until(async () => (await detailsOf(handle)).includes("over 2 records"));
    expect(run.callsOf("closeRun")).toEqual(["closeRun failed"]);
    await handle.cancel();
    await expect(handle.result()).rejects.toMatchObject(wasCancelled);
  });

  it("closes the run that a cancel meets, and ends as cancelled", async () => {
    const run = fakes({
      ...goodRun(1),
      ...finding({ inDoubt: 2, due: 2 }),
      uploadJson: async () => await held(),
    });
    const handle = await run.start("resend", input);
    await run.begun("uploadJson 1.0");
    await handle.cancel();
    await expect(handle.result()).rejects.toMatchObject(wasCancelled);
    expect(run.callsOf("lookForDoubts", "closeRun")).toEqual([
      "lookForDoubts",
      "closeRun cancelled",
    ]);
  });

  it("ends at once when its input cannot be used", async () => {
    const run = fakes({});
    const handle = await run.run("resend", { sync: "accounts", full: true });
    await expect(handle.result()).rejects.toMatchObject({ cause: { type: "InvalidInput" } });
    expect(run.calls).toEqual([]);
  });
});
