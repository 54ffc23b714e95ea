import { setTimeout as delay } from "node:timers/promises";

import { WorkflowNotFoundError, WorkflowUpdateFailedError } from "@temporalio/client";

import type { Progress } from "../../../workflows/sync/progress.ts";
import type { BackfillPlan } from "../../backfill/plan.ts";
import { isOpen } from "../../local/connect.ts";
import { plainText } from "../../text/plain-text.ts";
import { isConfirmed } from "../output/confirm.ts";
import { isAtTerminal, type Context } from "../output/context.ts";
import { followRun, type Followed, type ReadShare } from "../running/follow.ts";
import { pendingTrouble } from "../running/pending.ts";
import type { Begun } from "./begin.ts";
import { planText } from "./text.ts";

/** How often a backfill is asked whether it has a plan. */
const askEveryMs = 500;

/** The parts of a conversation with a backfill. */
export type Talk = {
  readonly context: Context;
  readonly options: { readonly yes?: boolean; readonly json?: boolean };
  readonly interrupted: AbortController;
};

/** How a backfill ended. `end` is undefined if it was left running: after Ctrl-C, or waiting for another's decision. */
export type Talked = {
  /** The latest plan; undefined if there was none. */
  readonly plan: BackfillPlan | undefined;
  /** The answer that was given; undefined if none was needed, or Ctrl-C came first. */
  readonly answer: Answer | undefined;
  readonly end: Followed | undefined;
};

/** An answer to a plan; `unasked` if nobody could be asked. */
type Answer = "approve" | "discard" | "leave" | "unasked";

/** A plan, and whether it waits for a person. */
type Planned = { readonly plan: BackfillPlan; readonly isWaiting: boolean };

async function plannedOf({ handle }: Begun): Promise<Planned | undefined> {
  try {
    const plan = await handle.query<BackfillPlan | null>("plan");
    if (plan === null) return undefined;
    const { needs_approval: isWaiting = false } = await handle.query<Progress>("progress");
    return { plan, isWaiting };
  } catch {
    return undefined; // a query needs a worker: without one it is asked again
  }
}

/**
 * Waits for a plan that was not shown yet; undefined if the backfill ends without one, or `signal` aborts. A busy
 * worker may answer as things were before: a plan that was shown does not come again.
 */
async function nextPlan(
  begun: Begun,
  shown: readonly BackfillPlan[],
  { say, signal }: { readonly say: Context["say"]; readonly signal: AbortSignal },
): Promise<Planned | undefined> {
  let told: string | undefined;
  while (!signal.aborted) {
    const planned = await plannedOf(begun);
    const isShown = shown.some(({ planned_at }) => planned_at === planned?.plan.planned_at);
    if (planned !== undefined && !isShown) return planned;
    if (!isOpen(await begun.handle.describe())) return undefined;
    const trouble = await pendingTrouble(begun.handle).catch(() => undefined);
    if (trouble !== undefined && trouble !== told) say(trouble);
    told = trouble;
    await delay(askEveryMs, undefined, { signal }).catch(() => undefined);
  }
  return undefined;
}

/** Asks whether to send a plan; undefined after Ctrl-C. */
async function answerTo(begun: Begun, talk: Talk): Promise<Answer | undefined> {
  const { context, options, interrupted } = talk;
  if (options.yes === true) return "approve";
  if (options.json === true || !isAtTerminal(context)) return "unasked";
  const agreed = await isConfirmed("Send it? [y/N] ", interrupted);
  if (agreed === undefined) return undefined;
  if (agreed) return "approve";
  return begun.isOurs ? "discard" : "leave";
}

/** Sends the decision. If somebody else decided first, says so; the backfill is followed all the same. */
async function decide(
  { handle }: Begun,
  { name, plan }: { readonly name: "approve" | "discard"; readonly plan: BackfillPlan },
  { say }: Pick<Context, "say">,
): Promise<void> {
  const { planned_at } = plan;
  try {
    // Another plan may wait by now.
    await handle.executeUpdate<void, [object]>(name, { args: [{ planned_at }] });
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return; // it ended meanwhile: its report says how
    if (!(error instanceof WorkflowUpdateFailedError)) throw error;
    say(plainText(error.cause?.message ?? error.message));
  }
}

/**
 * Follows a backfill, whose latest plan is the last one that was shown, until it ends or has another one, because its
 * source may have changed while it waited.
 */
async function followUntilPlanned(
  begun: Begun,
  shown: readonly BackfillPlan[],
  { context, interrupted }: Talk,
): Promise<Followed | undefined> {
  const ended = new AbortController();
  const planned = new AbortController();
  const watch = async (): Promise<void> => {
    const signal = AbortSignal.any([ended.signal, interrupted.signal]);
    const next = await nextPlan(begun, shown, { say: () => undefined, signal });
    if (next !== undefined) planned.abort();
  };
  const watching = watch().catch(() => undefined);
  const share: ReadShare = async ({ counts }) => shareOf(counts.read, shown.at(-1)?.rows ?? null);
  try {
    const signal = AbortSignal.any([planned.signal, interrupted.signal]);
    return await followRun(begun.handle, { context, share, signal });
  } finally {
    ended.abort();
    await watching;
  }
}

function shareOf(read: number, rows: number | null): number | undefined {
  return rows === null || rows === 0 ? undefined : Math.min(1, read / rows);
}

/**
 * Shows the plan of a backfill, asks whether to send it, and follows it to its end. If it is planned again, shows the
 * new plan and asks again.
 */
export async function talkWith(begun: Begun, talk: Talk): Promise<Talked> {
  const { context, options, interrupted } = talk;
  const { signal } = interrupted;
  const shown: BackfillPlan[] = [];
  for (;;) {
    const next = await nextPlan(begun, shown, { say: context.say, signal });
    if (next === undefined) {
      const end = await followRun(begun.handle, { context, share: async () => undefined, signal });
      return { plan: shown.at(-1), answer: undefined, end };
    }
    if (shown.length > 0) context.say("the plan did not hold any more: this is another one");
    const { plan } = next;
    shown.push(plan);
    if (options.json !== true) context.print(planText(plan));
    let answer: Answer | undefined;
    if (next.isWaiting) {
      answer = await answerTo(begun, talk);
      const isLeft = answer === "leave" || (answer === "unasked" && !begun.isOurs);
      if (answer === undefined || isLeft) return { plan, answer, end: undefined };
      const name = answer === "approve" ? "approve" : "discard";
      await decide(begun, { name, plan }, context);
    }
    const end = await followUntilPlanned(begun, shown, talk);
    if (end !== undefined || signal.aborted) return { plan, answer, end };
  }
}
