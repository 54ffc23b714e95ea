import { describe, expect, it } from "vitest";

import { StateUnavailableError } from "../../../src/errors.ts";
import { createGroupCommit } from "../../../src/inbox/group-commit.ts";
import type { Delivery, Verdict } from "../../../src/inbox/inbox.ts";
import { inboxGroupCharsMax } from "../../../src/inbox/limits.ts";
import { transactionRowsMax } from "../../../src/state/limits.ts";
import { numbers } from "../../support/sequences.ts";
import { delivery } from "./deliveries.ts";

function events(count: number, chars = 2): Delivery {
  return delivery(numbers(count).map(() => ({ json: "x".repeat(chars) })));
}

function verdictOf({ events: { length } }: Delivery): Verdict {
  return { kept: length, wake: false };
}

/** The number of deliveries in each group that concurrent deliveries form. */
async function groupsOf(deliveries: readonly Delivery[]): Promise<readonly number[]> {
  const groups: number[] = [];
  const { keep } = createGroupCommit(async (group) => {
    groups.push(group.length);
    return await Promise.resolve(group.map(verdictOf));
  });
  const verdicts = await Promise.all(deliveries.map(keep));
  expect(verdicts).toEqual(deliveries.map(verdictOf));
  return groups;
}

describe("createGroupCommit", () => {
  it("writes what comes together, or while a group is written, at once", async () => {
    const groups: number[] = [];
    const { keep, idle } = createGroupCommit(async (group) => {
      groups.push(group.length);
      if (groups.length === 1) void Promise.all([keep(events(1)), keep(events(2))]);
      return await Promise.resolve(group.map(verdictOf));
    });
    await Promise.all(numbers(64).map(async () => await keep(events(1))));
    await idle();
    expect(groups).toEqual([64, 2]);
    await keep(events(1));
    expect(groups).toEqual([64, 2, 1]);
  });

  it.each([
    [transactionRowsMax - 1, [2]],
    [transactionRowsMax, [1, 1]],
    [transactionRowsMax + 1, [1, 1]],
  ])("holds no transaction of more rows than one may have: %i and one", async (many, groups) => {
    expect(await groupsOf([events(many), events(1)])).toEqual(groups);
    expect(await groupsOf([events(1), events(many)])).toEqual(groups);
  });

  it.each([
    [inboxGroupCharsMax - 3, [2]],
    [inboxGroupCharsMax - 2, [2]],
    [inboxGroupCharsMax - 1, [1, 1]],
  ])(
    "holds no transaction of more characters than one may have: %i and two",
    async (many, groups) => {
      expect(await groupsOf([events(1, many), events(1)])).toEqual(groups);
    },
  );

  it("refuses the whole group when the store cannot be written, and continues with the next", async () => {
    let times = 0;
    const { keep } = createGroupCommit(async (group) => {
      times += 1;
      if (times === 1) throw new StateUnavailableError("the disk is full");
      return await Promise.resolve(group.map(verdictOf));
    });
    const group = await Promise.allSettled([keep(events(1)), keep(events(1))]);
    expect(group).toMatchObject([{ status: "rejected" }, { status: "rejected" }]);
    expect(times).toBe(1);
    expect(await keep(events(1))).toMatchObject({ kept: 1 });
  });
});
