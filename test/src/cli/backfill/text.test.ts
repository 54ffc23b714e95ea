import { describe, expect, it } from "vitest";

import { planText, samplesText } from "../../../../src/cli/backfill/text.ts";
import { examplePlan } from "../../../support/project/plan.ts";

const plan = examplePlan;

/** The cell next to a name in the table of a plan. */
function cell(text: string, name: string): string | undefined {
  const line = text.split("\n").find((one) => one.startsWith(`${name}  `));
  return line?.slice(name.length).trim();
}

describe("planText", () => {
  it("sets thousands apart and says what was counted and what is estimated", () => {
    const text = planText(plan);
    expect(text).toContain("accounts: plan of a backfill, nothing is sent yet");
    expect(cell(text, "rows to read")).toBe("1,234,567, counted");
    expect(cell(text, "records to send")).toBe("about 1,172,838");
    expect(cell(text, "bytes as JSON")).toBe("about 117.3 MB");
    expect(cell(text, "time")).toBe("about 10 min, by run accounts-1: 50000 rows in 24 s");
    expect(cell(text, "span")).toBe(
      "from 2026-10-23 00:00 Europe/Paris to the last row; times are in Europe/Paris",
    );
    expect(cell(planText({ ...plan, is_counted: false }), "rows to read")).toBe(
      "about 1,234,567, estimated",
    );
  });

  it("shows the lanes, and of the sample what differs and what is refused", () => {
    const text = planText(plan);
    expect(cell(text, "1")).toBe("617,284, counted");
    expect(cell(text, "2")).toBe("617,283, counted");
    expect(cell(text, "sample")).toBe(
      "the first 1,000 rows: 900 new, 50 changed, 25 unchanged, 4 filtered, 21 rejected",
    );
    expect(cell(text, "  changed")).toBe("40 × account_properties.name");
    expect(text).toContain("10 × domain");
    expect(cell(text, "  rejected")).toBe("20 × a required field is empty");
    expect(planText({ ...plan, lanes: [1_234_567] })).not.toContain("lane  ");
  });

  it("says what the source cannot tell", () => {
    const none = { records: null, json_bytes: null, gzip_bytes: null, chunks: null };
    const unknown = { ...plan, ...none, rows: null, requests: null, seconds: null, lanes: [null] };
    const text = planText(unknown);
    expect(cell(text, "rows to read")).toBe("not known: the source cannot say");
    expect(cell(text, "chunks")).toBe("not known");
    expect(text).not.toContain("null");
  });

  it("names single rows by their number, and keeps what steers a terminal out", () => {
    const text = planText({ ...plan, keys: 3, limit: 2, mode_reason: "a\u001b[31mred" });
    expect(cell(text, "span")).toBe("the rows of 3 keys, 2 rows at most");
    expect(cell(text, "mode")).toBe("heavyweight: a [31mred");
  });
});

describe("samplesText", () => {
  const changed = {
    place: "accounts.csv:2",
    key: "a\u202e1",
    status: "changed",
    changed_fields: ["domain"],
    record: { account_id: "a1", name: "\u009b31m" },
  };

  it("shows each record with its place and what is known of it, harmless for a terminal", () => {
    const [title, head, record] = samplesText({ plan, samples: [JSON.stringify(changed)] }).split(
      "\n",
    );
    expect(title).toContain("accounts: 1 sample record");
    expect(head).toBe("accounts.csv:2 (a 1): changed: domain");
    expect(record).toBe('  {"account_id":"a1","name":"\\u009b31m"}');
  });

  it("says when there is none", () => {
    expect(samplesText({ plan, samples: [] })).toBe("accounts: the plan has no sample records");
  });
});
