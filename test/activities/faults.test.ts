import type { ApplicationFailure } from "@temporalio/common";
import { describe, expect, it } from "vitest";

import type { PartRef } from "../../activities/inputs.ts";
import type { FaultAction } from "../../src/sandbox/faults.ts";
import type { Receipt } from "../../src/state/receipts.ts";
import { accountsCsv, accountsYaml, failureOf, Harness } from "../support/harness.ts";
import { TestRun } from "../support/test-run.ts";

const rows = 5;

const steps = ["generate-upload-url", "put", "confirm-upload", "upload-json"] as const;

/** The steps at which the service may answer with a fault, as the sandbox names them. */
type Step = (typeof steps)[number];

/** What a fault leads to. */
type Consequence = {
  readonly type: string;
  readonly nonRetryable: boolean;
  /** ms; undefined leaves it to the retry policy. */
  readonly delay?: number;
  readonly receipt: Receipt["state"];
  /** Records that count as possibly repeated once the next attempt is through. */
  readonly repeated: number;
  /** What keeps the next attempt from leaving: until the delay is over, or until a person opens it. */
  readonly gate?: "key" | "refused" | "storage";
};

type Case = { readonly step: Step; readonly fault: string; readonly leadsTo: Consequence };

const date = "Thu, 01 Jan 2026 00:00:00 GMT";
const later = "Thu, 01 Jan 2026 00:02:00 GMT";

function naming(...loc: readonly (number | string)[]): FaultAction {
  return { status: 422, body: { detail: [{ loc, msg: "bad", type: "value_error" }] } };
}

/** The sandbox's part of each fault. */
const actions: Readonly<Record<string, (step: Step) => FaultAction>> = {
  "429 with seconds": () => ({ status: 429, headers: { "retry-after": "120" } }),
  "429 with a date": () => ({ status: 429, headers: { date, "retry-after": later } }),
  "429 with no seconds": () => ({ status: 429, headers: { "retry-after": "0" } }),
  "429 without a hint": () => ({ status: 429 }),
  "429 for more than a day": () => ({ status: 429, headers: { "retry-after": "86401" } }),
  "500": () => ({ status: 500 }),
  "503": () => ({ status: 503 }),
  "503 with seconds": () => ({ status: 503, headers: { "retry-after": "120" } }),
  reset: () => ({ resetAt: 10 }),
  "expired URL": () => ({ expireUrl: true }),
  "422 naming a record": (step) =>
    step === "upload-json" ? naming("body", "data", 2, "domain") : naming("file", 2, "domain"),
  "401": () => ({ status: 401 }),
};

/** What stands of a part while and after each step fails for good, for now, or in doubt. */
const states = {
  "generate-upload-url": { begun: "sending", undone: "sending" },
  put: { begun: "sending", undone: "sending" },
  "confirm-upload": { begun: "confirming", undone: "uploaded" },
  "upload-json": { begun: "sending", undone: "staged" },
} as const;

const appliesRecords = (step: Step): boolean => step === "confirm-upload" || step === "upload-json";

/** faults.md, section 3, as far as these steps and faults go. */
function consequence(step: Step, fault: string): Consequence {
  const { begun, undone } = states[step];
  const gate = step === "put" ? "storage" : "key";
  const untouched = { receipt: undone, repeated: 0 };
  const wait = (delay: number): Consequence => {
    return { type: "RateLimited", nonRetryable: false, delay, gate, ...untouched };
  };
  const stop = (type: string): Consequence => ({ type, nonRetryable: true, ...untouched });
  const transient: Consequence = appliesRecords(step)
    ? { type: "OutcomeUnknown", nonRetryable: false, receipt: begun, repeated: rows }
    : { type: "Unavailable", nonRetryable: false, receipt: begun, repeated: 0 };
  switch (fault) {
    case "429 with seconds":
    case "429 with a date":
      return wait(120_000);
    case "429 with no seconds":
      return wait(1_000);
    case "429 without a hint":
      return wait(1_800);
    case "429 for more than a day":
      return { ...stop("ContractBroken"), delay: 86_400_000, gate };
    case "503 with seconds":
      // Records that a gateway refuses so may have reached the service.
      return appliesRecords(step) ? { ...transient, delay: 120_000, gate } : wait(120_000);
    case "422 naming a record":
      return stop(appliesRecords(step) ? "RecordsRejected" : "ContractBroken");
    case "401":
      return step === "put" ? stop("ContractBroken") : { ...stop("AuthFailed"), gate: "refused" };
    default:
      return transient;
  }
}

const cases = steps.flatMap((step) =>
  Object.keys(actions)
    .filter((fault) => fault !== "expired URL" || !appliesRecords(step))
    .map((fault): Case => ({ step, fault, leadsTo: consequence(step, fault) })),
);

/** A staged chunk up to the step before the one under test, and that step as an attempt. */
class StepUnderTest {
  readonly run: TestRun;
  readonly part: PartRef;
  readonly step: Step;
  readonly #attempt: (attempt: number) => Promise<unknown>;
  #attempts = 0;

  private constructor(
    at: Pick<StepUnderTest, "part" | "run" | "step">,
    attempt: (attempt: number) => Promise<unknown>,
  ) {
    ({ run: this.run, part: this.part, step: this.step } = at);
    this.#attempt = attempt;
  }

  static async prepare(step: Step): Promise<StepUnderTest> {
    const files = { "accounts.csv": accountsCsv(rows) };
    const harness = await Harness.open({ yaml: accountsYaml(), files, random: () => 0.9 });
    const run = await TestRun.open(harness);
    const part = run.part(await run.stage());
    const { uploadFile, uploadJson, confirmUpload } = harness.activities;
    if (step === "upload-json") {
      return new StepUnderTest(
        { run, part, step },
        async (attempt) => await harness.perform(uploadJson, part, { attempt }),
      );
    }
    if (step !== "confirm-upload") {
      return new StepUnderTest(
        { run, part, step },
        async (attempt) => await harness.perform(uploadFile, part, { attempt }),
      );
    }
    const { fileKey } = await harness.perform(uploadFile, part);
    return new StepUnderTest(
      { run, part, step },
      async (attempt) => await harness.perform(confirmUpload, { ...part, fileKey }, { attempt }),
    );
  }

  /** The next attempt, as Temporal would make it. */
  async attempt(): Promise<unknown> {
    this.#attempts += 1;
    return await this.#attempt(this.#attempts);
  }

  async failure(): Promise<ApplicationFailure> {
    return await failureOf(this.attempt());
  }

  /** Requests of the step that reached the sandbox. */
  async requests(): Promise<number> {
    return (await this.run.harness.sandbox.ledger(this.step)).length;
  }

  /** What each closed gate stands for. */
  async closedGates(): Promise<(Consequence["gate"] | "other")[]> {
    const { state, sandbox } = this.run.harness;
    const gates = await state.gates({ prefix: "" });
    return gates
      .filter(({ closedUntil }) => closedUntil !== null)
      .map(({ gate }) => {
        if (gate === `put:${new URL(sandbox.address).host}`) return "storage";
        if (/^api:[0-9a-f]{8}$/.test(gate)) return "key";
        return /^api:[0-9a-f]{8}:refused$/.test(gate) ? "refused" : "other";
      });
  }

  /** Tries in the last millisecond in which the gate is closed, then lets it open; undefined where there is none. */
  async tryEarly({ gate, delay = 0 }: Consequence): Promise<unknown> {
    if (gate === undefined) return undefined;
    const { clock, state } = this.run.harness;
    if (gate === "key" || gate === "storage") clock.nowMs += delay - 1;
    const failure = await this.failure();
    const nextRetryDelay: unknown = failure.nextRetryDelay;
    const tried = { type: failure.type, nextRetryDelay, requests: await this.requests() };
    if (gate === "refused") await state.reopenGates({ prefix: "api:", nowMs: clock.nowMs });
    else clock.nowMs += 1;
    return tried;
  }
}

/** How an attempt ends that comes before its gate opens: Temporal takes no delay below a second. */
const early = {
  key: { type: "RateLimited", nextRetryDelay: 1_000, requests: 1 },
  storage: { type: "RateLimited", nextRetryDelay: 1_000, requests: 1 },
  refused: { type: "AuthFailed", nextRetryDelay: undefined, requests: 1 },
} as const;

/** The status that the sandbox's ledger shows for a fault; null where there was no answer. */
function statusOf(step: Step, action: FaultAction): number | null {
  if ("status" in action) return action.status;
  if ("resetAt" in action) return null;
  // An address that came expired is an answer like any other: only its use would fail.
  return step === "generate-upload-url" ? 200 : 403;
}

describe.each(steps)("a fault at %s", (step) => {
  it.each(cases.filter((each) => each.step === step))(
    "$fault: ends as $leadsTo.type, and the next attempt gets through",
    async ({ fault, leadsTo }) => {
      const under = await StepUnderTest.prepare(step);
      const { run, part } = under;
      const { sandbox } = run.harness;
      const action = actions[fault]?.(step) ?? { status: 500 };
      sandbox.order(step, action);

      const failure = await under.failure();

      const { type, nonRetryable, delay, gate } = leadsTo;
      const nextRetryDelay = type === "RateLimited" ? delay : undefined;
      expect(failure).toMatchObject({ type, nonRetryable, nextRetryDelay });
      expect(await run.receipt(part)).toMatchObject({ state: leadsTo.receipt });
      const status = statusOf(step, action);
      expect(await sandbox.ledger(step)).toMatchObject([{ applied: false, status }]);
      expect(await under.closedGates()).toEqual(gate === undefined ? [] : [gate]);

      expect(await under.tryEarly(leadsTo)).toEqual(gate === undefined ? undefined : early[gate]);
      await under.attempt();

      const isSent = appliesRecords(step);
      expect(await run.receipt(part)).toMatchObject({ state: isSent ? "accepted" : "uploaded" });
      expect(await run.stored()).toMatchObject({ possiblyRepeated: leadsTo.repeated });
      expect(await sandbox.recordsTaken()).toBe(isSent ? rows : 0);
    },
  );
});

describe("a refusal of records", () => {
  it.each([
    ["confirm-upload", ["file"]],
    ["upload-json", ["body", "data"]],
  ] as const)("of %s carries indices and fields, and no value", async (step, prefix) => {
    const under = await StepUnderTest.prepare(step);
    const detail = [
      { loc: [...prefix, 2, "domain"], msg: "c2.example is bad", type: "value_error" },
      { loc: [...prefix, 4], msg: "bad", type: "value_error" },
    ];
    under.run.harness.sandbox.order(step, { status: 422, body: { detail } });
    const failure = await under.failure();
    expect(failure.details).toEqual([
      expect.objectContaining({
        refused: [
          { index: 2, field: "domain" },
          { index: 4, field: undefined },
        ],
      }),
    ]);
    expect(JSON.stringify([failure.message, failure.details])).not.toContain("c2.example");
  });
});

describe("credits exhausted", () => {
  it.each(["generate-upload-url", "confirm-upload", "upload-json"] as const)(
    "at %s: stops whatever sends records, until the gate is opened by hand",
    async (step) => {
      const under = await StepUnderTest.prepare(step);
      const { sandbox, state, clock } = under.run.harness;
      const body = { message: "Credits exhausted" };
      sandbox.order(step, { status: 429, headers: { "retry-after": "5" }, body });
      const stopped = { type: "CreditsExhausted", nonRetryable: true, nextRetryDelay: undefined };
      expect(await under.failure()).toMatchObject(stopped);
      clock.nowMs += 24 * 3_600_000 - 1;
      expect(await under.failure()).toMatchObject(stopped);
      expect(await under.requests()).toBe(1);
      await state.reopenGates({ prefix: "api:", nowMs: clock.nowMs });
      await under.attempt();
      expect(await under.requests()).toBe(2);
    },
  );
});

describe("an upload that is gone", () => {
  it.each([404, 410])(
    "at confirm, with %i: uploads the same bytes under a new key",
    async (status) => {
      const under = await StepUnderTest.prepare("confirm-upload");
      const { run, part } = under;
      const { sandbox, activities } = run.harness;
      const before = await run.receipt(part);
      sandbox.order("confirm-upload", { status });
      expect(await under.failure()).toMatchObject({ type: "UploadGone", nonRetryable: true });
      expect(await run.receipt(part)).toMatchObject({ state: "staged", fileKey: null });
      const { fileKey } = await run.harness.perform(activities.uploadFile, part);
      expect(fileKey).not.toBe(before?.fileKey);
      await run.harness.perform(activities.confirmUpload, { ...part, fileKey });
      const puts = await sandbox.ledger("put");
      expect(new Set(puts.map((put) => put.gzip_sha256)).size).toBe(1);
      expect(await run.stored()).toMatchObject({ possiblyRepeated: 0 });
      expect(await sandbox.recordsTaken()).toBe(rows);
    },
  );
});
