import { z } from "zod";

import type { Row, Source } from "../../connectors/contract/connector.ts";
import { sources } from "../../connectors/registry.ts";
import { connectorOf } from "../../connectors/source.ts";
import type { BackfillRequest } from "../../src/backfill/input/schema.ts";
import { makePlan } from "../../src/backfill/make-plan.ts";
import { ConfigError } from "../../src/errors.ts";
import { accountsCsv, accountsYaml, Harness } from "../support/project/harness.ts";
import { TestRun } from "../support/project/test-run.ts";
import { numbers } from "../support/sequences.ts";
import { arraySource } from "./array-source.ts";

const csv = connectorOf({ sources }, "csv");

/** The time at which every plan is made. */
export const now = new Date("2026-11-01T12:00:00.000Z");

const everything: BackfillRequest = {
  sync: "accounts",
  timeZone: "Europe/Paris",
  from: undefined,
  to: undefined,
  keys: undefined,
  mode: undefined,
  limit: undefined,
  lanes: 1,
  send: "changed",
  approve: "ask",
  note: undefined,
  advanceCheckpoint: false,
};

type Made = Awaited<ReturnType<typeof makePlan>>;

/** A project of accounts, and the plans made in it. */
export class PlanTest {
  readonly harness: Harness;

  private constructor(harness: Harness) {
    this.harness = harness;
  }

  static async open(text: string, ...sync: readonly string[]): Promise<PlanTest> {
    const yaml = accountsYaml(...sync);
    return new PlanTest(await Harness.open({ yaml, files: { "accounts.csv": text } }));
  }

  async plan(
    asked: Partial<BackfillRequest> = {},
    source: Source = csv,
    { signal } = new AbortController(),
  ): Promise<Made> {
    const { config, state, target } = this.harness.deps;
    const sync = config.syncs.get("accounts");
    if (sync === undefined) throw new Error("the project has no sync accounts");
    const { knownRecords, runs, tally } = state;
    const request = { ...everything, ...asked };
    // None of the store's writing methods are passed.
    const reading = { knownRecords, runs, tally };
    return await makePlan({ sync, source, request, state: reading, target, now, signal });
  }

  /** Sends everything in its current state. */
  async send(runId = "run-1"): Promise<void> {
    await (await TestRun.open(this.harness, { runId })).transfer();
  }
}

/** Rows of accounts. */
export function accounts(count: number): readonly Row[] {
  return numbers(count).map((row) => ({ id: `a${row}`, domain: `c${row}.example`, name: "name" }));
}

/** A project and a source with all abilities and this many rows. */
export async function withArray(count: number): Promise<[PlanTest, Source]> {
  return [await PlanTest.open(accountsCsv(1)), arraySource(accounts(count)).source];
}

/** The ConfigError with which a plan ends; any other end fails the test. */
export async function problemOf(work: Promise<unknown>): Promise<ConfigError> {
  const error = await work.then(
    () => new Error("expected a problem"),
    (thrown: unknown) => thrown,
  );
  if (error instanceof ConfigError) return error;
  throw error;
}

const shown = z.looseObject({ place: z.string(), key: z.string(), status: z.string() });

/** Sample records, in their stored form. */
export function shownOf(samples: readonly string[]): z.output<typeof shown>[] {
  return samples.map((line) => shown.parse(JSON.parse(line)));
}
