import { rm } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { describe, expect, it } from "vitest";

import { Laptop, laptopConfig } from "../../support/process/laptop.ts";
import { accountsCsv } from "../../support/project/project.ts";

describe("sluice verify --resend", () => {
  it("sends again what the service has lost, by a run, and nothing else", async () => {
    const laptop = await Laptop.open({
      "sluice.yaml": laptopConfig,
      "accounts.csv": accountsCsv(20),
    });
    expect((await laptop.run(["run", "accounts"])).code).toBe(0);
    const some = ["--key", "a3", "--key", "a5"];
    const first = await laptop.run(["verify", "accounts", "--resend", "--yes", ...some]);
    expect(first).toMatchObject({ code: 0 });
    expect(first.stderr).toContain("nothing is missing");
    // A service that has lost everything, two days later.
    await rm(join(laptop.folder, ".sluice", "sandbox"), { recursive: true });
    const db = new DatabaseSync(join(laptop.folder, ".sluice", "state.db"));
    db.exec("update stagings set committed_at = committed_at - 2 * 86400000");
    db.close();
    const lost = await laptop.run(["verify", "accounts", "--resend", "--yes", "--json", ...some]);
    const [found, report] = lost.stdout.trim().split("\n");
    expect(JSON.parse(found ?? "")).toMatchObject({ missing: 2, calls: 2 });
    expect(JSON.parse(report ?? "")).toMatchObject({
      counts: { read: 20, sent: 2, unchanged: 18 },
    });
    const again = await laptop.run(["verify", "accounts", "--json", ...some]);
    expect(JSON.parse(again.stdout)).toMatchObject({ same: 2 });
  }, 240_000);
});
