import { describe, expect, it } from "vitest";

import type { Source } from "../../connectors/contract/connector.ts";
import { ConfigError } from "../../src/errors.ts";
import { accountsCsv } from "../support/project/harness.ts";
import { arraySource, firstDay } from "./array-source.ts";
import { accounts, now, PlanTest, problemOf, withArray } from "./plan-test.ts";

function noTime(): never {
  throw new ConfigError("a time says nothing about a source without a change column");
}

describe("a span without an end", () => {
  it("ends at the source's present, so that no lane meets a row again that changes meanwhile", async () => {
    const [test, source] = await withArray(40_000);
    const clocked: Source = {
      ...source,
      restart: () => "resume",
      readLimit: async () => ({ to: { covered: 30_000 } }),
    };
    const open = await test.plan({ lanes: 4 }, clocked);
    expect(open.spans).toHaveLength(4);
    expect(open.spans.at(-1)?.to).toEqual({ covered: 30_000 });
    const tomorrow = new Date(now.getTime() + 86_400_000);
    const future = await test.plan({ to: { text: "tomorrow", time: tomorrow } }, clocked);
    expect(future.spans.at(-1)?.to).toEqual({ covered: 30_000 });
    const past = { text: "2026-01-11 00:00 UTC", time: new Date(firstDay + 10 * 86_400_000) };
    expect((await test.plan({ to: past }, clocked)).spans).toEqual([
      { from: null, to: { covered: 10 } },
    ]);
  });

  it("is not planned to move the checkpoint where a transaction was open at its end", async () => {
    const [test, source] = await withArray(10);
    const to = { covered: 10 };
    const busy = { ...source, readLimit: async () => ({ to, oldestOpen: { covered: 5 } }) };
    expect(await problemOf(test.plan({ advanceCheckpoint: true }, busy))).toMatchObject({
      message: "a transaction is open in the source, whose rows might be passed over",
      field: "advance_checkpoint",
    });
    expect((await test.plan({}, busy)).spans.at(-1)?.to).toEqual(to);
    const quiet = { ...source, readLimit: async () => ({ to }) };
    const { spans } = await test.plan({ advanceCheckpoint: true }, quiet);
    expect(spans.at(-1)?.to).toEqual(to);
  });

  it("has one lane where no present is known", async () => {
    const [test] = await withArray(40_000);
    const abilities = ["before", "measure", "split"] as const;
    const { source } = arraySource(accounts(40_000), { abilities });
    const { spans } = await test.plan({ lanes: 4 }, { ...source, restart: () => "resume" });
    expect(spans).toEqual([{ from: null, to: null }]);
  });

  it("ends now where a source has times and no clock, and tells no time of this configuration", async () => {
    const [test, source] = await withArray(40_000);
    const resumed = { ...source, restart: () => "resume" as const };
    const { spans } = await test.plan({ lanes: 1 }, resumed);
    expect(spans).toEqual([{ from: null, to: source.at?.({ config: {}, when: now }) }]);
    const untimed = await test.plan({ lanes: 1 }, { ...resumed, at: noTime });
    expect(untimed.spans).toEqual([{ from: null, to: null }]);
  });

  it.each(["send: all", "duplicate_keys: send"])(
    "has one lane where a key may come twice and the later must win: %s",
    async (sync) => {
      const test = await PlanTest.open(accountsCsv(1), sync);
      const { source } = arraySource(accounts(40_000));
      expect((await test.plan({ lanes: 4 }, source)).spans).toHaveLength(1);
    },
  );
});
