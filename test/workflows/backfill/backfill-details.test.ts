import { describe, expect, it } from "vitest";

import { backfillDetails } from "../../../workflows/backfill/backfill-details.ts";
import { laneStatesOf, type BackfillState } from "../../../workflows/backfill/backfill-state.ts";
import { noCounts, type Progress } from "../../../workflows/sync/progress.ts";
import { examplePlan } from "../../support/project/plan.ts";

const progress: Progress = {
  run_id: "b",
  sync: "accounts",
  mode: null,
  mode_reason: null,
  counts: noCounts,
  waiting: null,
  report: null,
};

const state: BackfillState = {
  run_id: "b",
  phase: "running",
  plan: examplePlan,
  approval: "",
  lanes: laneStatesOf(examplePlan),
  lanes_at_once: 4,
  is_paused: false,
  is_begun: true,
  rejects: [],
  notes: [],
  began_ms: 0,
  rested_ms: 0,
};

/** What the service keeps of current details. */
const detailsBytesMax = 20_000;

describe("backfillDetails", () => {
  it("names what was rejected by its reason, and nothing where nothing was", () => {
    expect(backfillDetails(progress, state, 0)).not.toContain("Rejects:");
    const rejects = [
      { reason: "ragged row", count: 12 },
      { reason: "no key", count: 1 },
    ];
    const text = backfillDetails(progress, { ...state, rejects }, 0);
    expect(text).toContain("Rejects:\n\n```\n12 × ragged row\n1 × no key\n```");
  });

  it("keeps within what the service keeps, and the newest note, however much there is to say", () => {
    const long = "w".repeat(30_000);
    const failure = { code: "Unexpected", message: long };
    const lanes = state.lanes.map((lane) => ({ ...lane, failure }));
    const notes = [long, "resumed by a person"];
    const text = backfillDetails({ ...progress, waiting: long }, { ...state, lanes, notes }, 0);
    expect(Buffer.byteLength(text)).toBeLessThan(detailsBytesMax);
    expect(text).toContain("resumed by a person");
  });
});
