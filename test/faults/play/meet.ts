import type { ApplicationFailure } from "@temporalio/common";
import { expect } from "vitest";

import { failureOf } from "../../support/project/harness.ts";
import type { Harness } from "../../support/project/harness.ts";
import type { Case, Column, Meets } from "./cell.ts";
import type { Expected } from "./expected.ts";
import { blockedLimit, waitOf } from "./play.ts";

/** A value of the first record, which no failure may carry into Temporal (I4). */
const value = "c0.example";

/** One request that is tried again and again, with what a cell needs from it. */
export type Tried = {
  readonly harness: Harness;
  /** An attempt whose request meets a fault. */
  meet(meets: Meets): Promise<unknown>;
  /** An attempt to the place where the last one met its fault. */
  tryEarly(): Promise<unknown>;
  /** Every request that the sandbox saw, in order. */
  requests(): Promise<readonly string[]>;
  /** State of the part's receipt; undefined if nothing is staged. */
  receiptState(): Promise<string | undefined>;
};

/** What the request of a column meets. */
export function meetsOf({ meets }: Pick<Case, "meets">, column: Column): Meets {
  return typeof meets === "function" ? meets(column) : meets;
}

/** Meets the fault as often as it occurs; each attempt fails as expected. Returns the last failure. */
export async function meetAll(
  tried: Tried,
  {
    meets,
    clockMs = 0,
    expected: { fails, block },
  }: Pick<Case, "clockMs"> & { readonly meets: Meets; readonly expected: Expected },
): Promise<ApplicationFailure | undefined> {
  const { clock } = tried.harness;
  clock.stepWall(clockMs);
  let last: ApplicationFailure | undefined;
  for (const { type, nonRetryable, gap, receipt } of fails) {
    last = await failureOf(tried.meet(meets));
    expect(last).toMatchObject({ type, nonRetryable });
    expect(JSON.stringify([last.message, last.details])).not.toContain(value);
    expect(await tried.receiptState()).toBe(receipt);
    const wait = waitOf(last) ?? 0;
    if (gap === undefined || block !== undefined) continue;
    expect(wait).toBeGreaterThanOrEqual(gap[0]);
    expect(wait).toBeLessThanOrEqual(gap[1]);
    clock.nowMs += wait;
  }
  // If a fault is tolerated at once, the attempt succeeds.
  if (fails.length === 0) await tried.meet(meets);
  return last;
}

const whileBlocked: Readonly<Record<string, string>> = {
  "key:refused": "AuthFailed",
  "key:ingestion": "CreditsExhausted",
  "key:search": "CreditsExhausted",
};

/** Checks that nothing leaves in the last millisecond in which a limit is blocked. */
export async function tryEarly(tried: Tried, { block, next }: Expected): Promise<void> {
  const { clock } = tried.harness;
  const blocked = await blockedLimit(tried.harness);
  expect(blocked?.of).toBe(block?.of);
  if (block === undefined || blocked === undefined) return;
  expect(blocked.forMs).toBeGreaterThanOrEqual(block.least);
  expect(blocked.forMs).toBeLessThanOrEqual(block.greatest);
  const before = await tried.requests();
  clock.nowMs += Math.min(blocked.forMs, 1e9) - 1;
  const { type } = await failureOf(tried.tryEarly());
  expect(type).toBe(whileBlocked[block.of] ?? "RateLimited");
  // A PUT that must wait has already received its address.
  const asked = block.of === "storage" ? ["generate-upload-url"] : [];
  expect(await tried.requests()).toEqual([...before, ...asked]);
  if (next === "continues") clock.nowMs += 1;
}
