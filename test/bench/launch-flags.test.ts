import { expect, it } from "vitest";

import { flagsOf } from "../../bench/launch-flags.ts";

it.each([
  ["worker", "--max-semi-space-size=4"],
  ["webhooks", "--single-threaded-gc"],
])("measures with the flags that %s is started with", async (verb, flag) => {
  expect(await flagsOf(verb)).toContain(flag);
});
