import { describe, expect, it } from "vitest";

import type { BackfillPlan } from "../../../src/backfill/plan.ts";
import { planDetails } from "../../../workflows/backfill/plan-details.ts";
import { examplePlan } from "../../support/project/plan.ts";
import { numbers } from "../../support/sequences.ts";

const plan: BackfillPlan = {
  ...examplePlan,
  to: "before 2026-10-24 00:00 Europe/Paris",
  mode_reason: "decided by the first chunk; likely heavyweight: a lane is larger than one chunk",
  sample: {
    ...examplePlan.sample,
    rejects: [
      ...examplePlan.sample.rejects,
      { code: "ragged_row", reason: "ragged row", count: 1 },
    ],
  },
};

const waits = "it waits for the update `approve` or `discard`";

describe("planDetails", () => {
  const text = planDetails(plan, waits);

  it("says what a person decides by", () => {
    for (const part of [
      "### accounts: the plan of a backfill. Nothing is sent yet",
      "From `2026-10-23 00:00 Europe/Paris` to `before 2026-10-24 00:00 Europe/Paris`; times are in `Europe/Paris`.",
      "| rows to read | 1,234,567, counted |",
      "| records to send | about 1,172,838 |",
      "| bytes as JSON | about 117.3 MB |",
      "| bytes compressed | about 11.7 MB |",
      "| chunks | about 14 |",
      "| mode | heavyweight: decided by the first chunk; likely heavyweight: a lane is larger than one chunk |",
      "| send | changed: records that the service is known to hold are left out |",
      "| requests | about 42 |",
      "| time | about 10 min, by run accounts-1: 50000 rows in 24 s |",
      "| 1 | 617,284, counted |\n| 2 | 617,283, counted |",
      "900 new, 50 changed, 25 unchanged, 4 filtered, 21 rejected.",
      "```\n40 × account_properties.name\n10 × domain\n```",
      "```\n20 × a required field is empty (required)\n1 × ragged row (ragged_row)\n```",
    ]) {
      expect(text).toContain(part);
    }
  });

  it("says what a person may do now", () => {
    expect(text).toContain(`**Now** ${waits}.`);
    expect(text).toContain("More Actions → Send an Update");
    expect(text).toMatch(/`approve` .*`discard`/);
  });

  it.each([
    [{ from: null, to: null }, "All rows, from the first to the last."],
    [{ from: null }, "From the first row to `before 2026-10-24 00:00 Europe/Paris`; times"],
    [{ to: null, limit: 5_000 }, " to the last row, 5,000 rows at most; times"],
    [{ from: null, to: null, limit: 1 }, "from the first to the last, 1 row at most."],
    [{ from: null, to: null, keys: 3 }, "The rows of 3 keys."],
    [{ from: null, to: null, keys: 1 }, "The rows of 1 key."],
  ])("says in words what is read: %j", (more, words) => {
    expect(planDetails({ ...plan, ...more }, waits)).toContain(words);
  });

  it("says which numbers are estimated, and which nobody knows", () => {
    expect(planDetails({ ...plan, is_counted: false }, waits)).toContain(
      "| rows to read | about 1,234,567, estimated |",
    );
    const unknown = {
      rows: null,
      lanes: [null],
      records: null,
      json_bytes: null,
      gzip_bytes: null,
      chunks: null,
      requests: null,
      seconds: null,
    };
    const told = planDetails({ ...plan, ...unknown }, waits);
    expect(told).toContain("| rows to read | not known: the source cannot say |");
    expect(told).toContain("| time | not known, by run accounts-1");
    for (const name of ["records to send", "bytes as JSON", "chunks", "requests"]) {
      expect(told).toContain(`| ${name} | not known |`);
    }
    expect(told).not.toContain("null");
  });

  it.each([
    [999, "about 999 B"],
    [1_000, "about 1.0 kB"],
    [2_500_000_000, "about 2.5 GB"],
  ])("writes %i bytes for a person", (json_bytes, words) => {
    expect(planDetails({ ...plan, json_bytes }, waits)).toContain(`| bytes as JSON | ${words} |`);
  });

  it.each([
    [89, "about 89 s"],
    [90, "about 2 min"],
    [7_200, "about 2.0 h"],
  ])("writes %i seconds for a person", (seconds, words) => {
    expect(planDetails({ ...plan, seconds }, waits)).toContain(`| time | ${words}, by`);
  });

  it("has no table of lanes for one, and no sample of nothing", () => {
    const sample = { ...plan.sample, rows: 0 };
    const told = planDetails({ ...plan, lanes: [5], sample }, waits);
    expect(told).not.toContain("| lane | rows |");
    expect(told).toContain("the span holds no row");
  });

  it("keeps foreign text from becoming Markdown", () => {
    const evil = "x` | <b> \n# y";
    const told = planDetails(
      {
        ...plan,
        from: evil,
        seconds_from: evil,
        sample: { ...plan.sample, fields: [{ field: "```\n# z", count: 1 }] },
      },
      waits,
    );
    expect(told).toContain("From `x' | <b> # y` to");
    expect(told).toContain("by x` \\| <b> # y |");
    expect(told).toContain("````\n1 × ``` # z\n````");
    expect(told).not.toMatch(/^# /m);
  });

  it("stays within what Temporal keeps, whatever is in the plan", () => {
    const long = "語".repeat(5_000);
    const many = numbers(500);
    const told = planDetails(
      {
        ...plan,
        from: long,
        to: long,
        time_zone: long,
        mode: long,
        mode_reason: long,
        seconds_from: long,
        lanes: many,
        sample: {
          ...plan.sample,
          rejects: many.map((count) => ({ code: long, reason: long, count })),
          fields: many.map((count) => ({ field: long, count })),
        },
      },
      long,
    );
    expect(Buffer.byteLength(told)).toBeLessThan(16_000);
    expect(planDetails({ ...plan, to: "😀".repeat(200) }, waits).isWellFormed()).toBe(true);
  });
});
