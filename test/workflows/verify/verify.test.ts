import { ApplicationFailure } from "@temporalio/common";
import { describe, expect, it } from "vitest";

import type { VerifiedNotice } from "../../../activities/verify/inputs.ts";
import type { VerifyReport } from "../../../src/verify/report.ts";
import { fakeWorld, fault } from "../fake-world.ts";

const fakes = fakeWorld();

const counts = { same: 3, differs: 0, missing: 2, recent: 0, ambiguous: 0, incomparable: 0 };
const report: VerifyReport = {
  sync: "accounts",
  seed: 7,
  read: 5,
  counts: { ...counts, unanswered: 0 },
  calls: 5,
  left: 0,
  differing: {},
  compared: {},
  incomparable: {},
};

describe("a verification", () => {
  it("looks once, and tells each receiver what it found", async () => {
    const told: VerifiedNotice[] = [];
    const run = fakes({
      verifySync: async () => await Promise.resolve({ report, targets: ["a", "b"] }),
      tellVerified: async (notice) => void told.push(notice),
    });
    const handle = await run.start("verify", { sync: "accounts" });
    expect(await handle.result()).toEqual(report);
    expect(run.calls.toSorted()).toEqual(["tellVerified a", "tellVerified b", "verifySync"]);
    expect(told[0]).toMatchObject({ report });
  });

  it("does not look a second time when it fails, because each call has cost, and tells of it", async () => {
    const told: VerifiedNotice[] = [];
    const run = fakes({
      verifyReceivers: async () => await Promise.resolve(["a"]),
      tellVerified: async (notice) => void told.push(notice),
      verifySync: async () => {
        await Promise.resolve();
        throw ApplicationFailure.create({
          type: "Unavailable",
          message: "away",
          nextRetryDelay: 1,
        });
      },
    });
    const handle = await run.run("verify", { sync: "accounts" });
    await expect(handle.result()).rejects.toThrow("Workflow execution failed");
    expect(run.calls).toEqual(["verifySync", "verifyReceivers", "tellVerified a"]);
    const error = { code: "Unavailable", message: "away" };
    expect(told).toMatchObject([{ target: "a", report: { sync: "accounts", error } }]);
  });

  it.each([
    ["found something", { report, targets: ["a", "b"] }, "POST to a: 410, it is gone"],
    ["failed", undefined, "no such sync"],
  ])(
    "tries a receiver again although another is gone, when the look %s",
    async (_, looked, why) => {
      let tries = 0;
      const run = fakes({
        verifyReceivers: async () => await Promise.resolve(["a", "b"]),
        verifySync: async () => {
          await Promise.resolve();
          if (looked === undefined) throw fault("ConfigError", {}, "no such sync");
          return looked;
        },
        tellVerified: async ({ target }) => {
          await Promise.resolve();
          if (target === "a") throw fault("ConfigError", {}, "POST to a: 410, it is gone");
          tries += 1;
          if (tries > 1) return;
          throw ApplicationFailure.create({ message: "503", nextRetryDelay: "500ms" });
        },
      });
      const handle = await run.start("verify", { sync: "accounts" });
      await expect(handle.result()).rejects.toMatchObject({ cause: { cause: { message: why } } });
      expect(run.callsOf("tellVerified").toSorted()).toEqual(
        ["a", "b", "b"].map((target) => `tellVerified ${target}`),
      );
    },
  );

  it.each([{}, { sync: "Accounts" }, { sync: "accounts", seed: 7 }])(
    "is not made for an input that cannot be used: %j",
    async (input) => {
      const run = fakes({});
      const handle = await run.run("verify", input);
      await expect(handle.result()).rejects.toMatchObject({ cause: { type: "InvalidInput" } });
      expect(run.calls).toEqual([]);
    },
  );
});
