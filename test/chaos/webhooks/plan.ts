import { SeededRandom } from "../seeded-random.ts";

/** When the receiver is killed: once this many more deliveries are acknowledged, and this long after that. */
export type Kill = { readonly acknowledged: number; readonly laterMs: number };

/** Everything that a seed of the receiver decides. */
export type WebhookPlan = {
  readonly seed: number;
  readonly kills: readonly Kill[];
  /** The kill before which the disk is filled. */
  readonly diskAt: number;
  /** The kill at which Temporal goes away; the others continue meanwhile. */
  readonly awayAt: number;
  /** How long it stays away; 0: it does not go away. */
  readonly awayMs: number;
};

/** The input of a plan. */
export type WebhookPlanInput = {
  readonly seed: number;
  readonly kills: number;
  readonly awayMs: number;
};

/** Draws a plan. */
export function webhookPlanOf({ seed, kills, awayMs }: WebhookPlanInput): WebhookPlan {
  const random = new SeededRandom(seed);
  return {
    seed,
    kills: Array.from({ length: kills }, (_, index) => ({
      acknowledged: random.whole(`acknowledged ${index}`, 1, 2_000),
      laterMs: random.whole(`later ${index}`, 0, 20),
    })),
    diskAt: random.whole("disk", 0, kills - 1),
    awayAt: random.whole("away", 0, Math.floor((kills - 1) / 2)),
    awayMs,
  };
}
