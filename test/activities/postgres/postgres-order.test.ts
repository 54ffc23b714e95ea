import { describe, expect, it } from "vitest";

import { registerState } from "../../../src/cli/status/state.ts";
import { runVerb } from "../../support/project/run-verb.ts";
import { Nightly } from "./nightly.ts";

const rows = 10;

/** A night that sent all rows, after which a column is altered. */
async function alteredAfterANight(type: string, column = "updated_at"): Promise<Nightly> {
  const nightly = await Nightly.open();
  await nightly.fill(rows);
  // No row of today, because a read by days leaves those for tomorrow.
  await nightly.database.query("update companies set updated_at = updated_at - interval '3 days'");
  await nightly.night();
  await nightly.database.query(`alter table companies alter ${column} type ${type}`);
  return nightly;
}

const said = async ({ harness }: Nightly, ...args: readonly string[]): Promise<string> => {
  const { out, said: told } = await runVerb(registerState, harness, ["state", ...args]);
  return [...out, ...told].join("\n");
};

async function fail({ harness }: Nightly, runId: string): Promise<void> {
  await harness.perform(harness.activities.closeRun, { runId, outcome: "failed" });
}

describe("a change column or key of another type", () => {
  it.each([
    ["date", "updated_at", "date"],
    ["timestamptz(0)", "updated_at", "timestamp(0) with time zone"],
    ["timestamp", "updated_at", "timestamp without time zone"],
    ["text", "id", "text collate default"],
    ["numeric(20, 2)", "id", "numeric(20,2)"],
    ["varchar(9)", "id", "character varying(9) collate default"],
  ])("is refused where rows come in another order then: %s", async (type, column, shown) => {
    const nightly = await alteredAfterANight(type, column);
    await expect(nightly.night()).rejects.toMatchObject({
      message: expect.stringContaining(
        `the column "${column}" is ${shown} now, and was `,
      ) as unknown,
    });
    await fail(nightly, "run-2");
    // A person cannot declare them the same: that would continue after the old checkpoint.
    expect(await said(nightly, "rebind", "accounts")).toMatch(
      /come in another order; .*\n→ `sluice state reset accounts --reason "[^"]+"` reads and sends everything anew$/,
    );
    await expect(nightly.night()).rejects.toThrow("come in another order");
    await fail(nightly, "run-3");
    await said(nightly, "reset", "accounts", "--reason", "another order");
    expect((await nightly.night()).counts).toMatchObject({ read: rows });
  });

  it.each([
    ["numeric", "id"],
    ["integer", "id"],
    ["timestamptz(6)", "updated_at"],
  ])("is read on where the order stays: %s", async (type, column) => {
    const nightly = await alteredAfterANight(type, column);
    await nightly.database.query("update companies set updated_at = now() where id < 3");
    expect((await nightly.night()).counts).toMatchObject({ read: 2, unchanged: 2 });
  });

  it("is noticed between two chunks of a run", async () => {
    const nightly = await Nightly.open();
    await nightly.fill(1_500);
    const run = await nightly.begin();
    await run.stage(1);
    await nightly.database.query("alter table companies alter updated_at type date");
    await expect(run.stage(2)).rejects.toThrow("come in another order");
  });
});

/** A table whose rows were all stamped at the same time, days ago; `number` counts them from the other end. */
async function filled(): Promise<Nightly> {
  const nightly = await Nightly.open();
  await nightly.fill(1_500);
  await nightly.database.query(
    `alter table companies add number bigint;
     update companies set number = 1501 - id, updated_at = now() - interval '3 days';
     alter table companies alter number set not null`,
  );
  return nightly;
}

describe("a primary key", () => {
  it("is refused between two chunks where it moved to another column of its type", async () => {
    const nightly = await filled();
    const run = await nightly.begin();
    await run.stage(1);
    await nightly.database.query(
      "alter table companies drop constraint companies_pkey, add primary key (number)",
    );
    const refused = "the key is number now, and was id when the checkpoint was kept";
    await expect(run.stage(2)).rejects.toThrow(refused);
  });

  it("is read on where its column is renamed", async () => {
    const nightly = await filled();
    const run = await nightly.begin();
    await run.stage(1);
    await nightly.database.query("alter table companies rename id to account_no");
    await nightly.database.query("alter table companies rename number to id");
    expect((await run.stage(2)).counts).toMatchObject({ read: 500 });
  });
});
