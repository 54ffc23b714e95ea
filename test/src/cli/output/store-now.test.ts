import { afterEach, expect, it, vi } from "vitest";

import { storeNow } from "../../../../src/cli/output/context.ts";
import { choiceOf } from "../../../../src/cli/verify/verify.ts";
import { Secret } from "../../../../src/security/secret.ts";
import { migrateStore } from "../../../../src/state/postgres/migrate.ts";
import { postgres } from "../../../support/postgres/postgres.ts";
import { temporaryFolder } from "../../../support/process/temporary-folder.ts";

afterEach(() => void vi.useRealTimers());

it("what a command reads of the time is by the store's clock, however wrong this machine's is", async () => {
  const store = { url: new Secret((await postgres()).url), schema: "sluice" };
  await migrateStore(store);
  const stateFolder = await temporaryFolder();
  const trueMs = Date.now();
  vi.useFakeTimers({ toFake: ["Date"], now: new Date("2001-02-03T04:05:06Z") });
  expect((await storeNow({ stateFolder })).getFullYear()).toBe(2001);
  const now = await storeNow({ stateFolder, store });
  expect(Math.abs(now.getTime() - trueMs)).toBeLessThan(3_600_000);
});

it("a look at the day that the store says sees the records of that day", () => {
  expect(choiceOf({ sample: 5 }, new Date("2026-11-26T23:59:59Z"))).toEqual({
    size: 5,
    seed: 20_261_126,
  });
});
