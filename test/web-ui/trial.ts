import { setTimeout as delay } from "node:timers/promises";

import { WorkflowFailedError } from "@temporalio/client";
import { ApplicationFailure, CancelledFailure, TerminatedFailure } from "@temporalio/common";
import { z } from "zod";

import type { HostActivities, SharedActivities } from "../../activities/index.ts";
import { closeAbandoned } from "../../activities/run/close-abandoned.ts";
import { isWorkflowOpen } from "../../src/local/connect.ts";
import { pullLock } from "../../src/state/contract/pull/pulls.ts";
import { sendLock } from "../../src/state/contract/runs/locks.ts";
import { hostQueue, taskQueue, type Call, type World } from "../support/temporal/world.ts";
import type { Acting, Action } from "./actions.ts";
import type { Kind, Started, Subject } from "./kinds.ts";
import { stagedRunsIn } from "./staged-runs.ts";
import { HeldActivity, HeldRequest, type Stop } from "./stops.ts";

/** How far a run has come when an action is performed on it. */
export type Phase = "before" | "between" | "ended" | "sending" | "staging";

/** All phases, in the order in which a run goes through them. */
export const phases: readonly Phase[] = ["before", "staging", "sending", "between", "ended"];

/** The result of an action. */
export type Tried = {
  /** Undefined if the history had no such event. */
  readonly told: string | undefined;
  /** The violations. */
  readonly violations: readonly string[];
};

/** A run ends within this time, whatever action is performed on it. */
const endsMsMax = 120_000;

/** Longer than any request may be applied late. */
const overMs = 60 * 60_000;

/** A run must not end with an error that nobody can fix. */
const unexplained = new Set(["NotBalanced", "Unexpected"]);

/** Workflows that retry after a while if another one sends. */
const waitsForOthers = new Set(["inboxDrain", "resend"]);

let trials = 0;

type Ended = { readonly word: string; readonly message: string };

function endOf(error: unknown): Ended {
  const cause = error instanceof WorkflowFailedError ? error.cause : error;
  if (cause instanceof CancelledFailure) return { word: "cancelled", message: "" };
  if (cause instanceof TerminatedFailure) return { word: "terminated", message: "" };
  if (cause instanceof ApplicationFailure) {
    return { word: `fails: ${cause.type ?? "Unexpected"}`, message: cause.message };
  }
  return { word: "fails", message: String(error) };
}

const anyActivity = z.custom<(input: unknown) => Promise<unknown>>(
  (value) => typeof value === "function",
);
const ended = z.looseObject({ outcome: z.string().optional(), blocked: z.string().nullish() });

function outcomeOf(result: unknown): string {
  const { outcome, blocked } = ended.parse(result);
  return outcome ?? ((blocked ?? undefined) === undefined ? "done" : "blocked");
}

/** One action on one run in one phase, and its consequences. */
class Trial {
  readonly #world: World;
  readonly #kind: Kind;
  readonly #phase: Phase;
  readonly #subject: Subject;
  readonly #prefix: string;
  readonly #id: string;
  readonly #stop: Stop;
  readonly #activities: HostActivities & SharedActivities;
  readonly #deps: Parameters<typeof closeAbandoned>[0];
  readonly #violations: string[] = [];
  readonly #ids: string[] = [];
  readonly #underWay = new Set<Promise<unknown>>();
  #first = "";

  constructor(
    world: World,
    at: { readonly kind: Kind; readonly phase: Phase; readonly subject: Subject },
  ) {
    this.#world = world;
    this.#kind = at.kind;
    this.#phase = at.phase;
    this.#subject = at.subject;
    trials += 1;
    this.#prefix = `trial-${trials}`;
    this.#id = `${this.#prefix}.run`;
    this.#stop = this.#stopAt();
    const { harness, deps } = at.subject;
    const { client } = world;
    this.#deps = {
      ...harness.deps,
      ...deps,
      api:
        this.#stop instanceof HeldRequest ? this.#stop.around(harness.deps.api) : harness.deps.api,
      hostQueue,
      isWorkflowOpen: async (holder) => await isWorkflowOpen(client, holder),
    };
    this.#activities = harness.activitiesWith(this.#deps);
    const held = this.#stop instanceof HeldActivity ? this.#stop : undefined;
    world.doneBy(this.#prefix, async (call, input) => {
      const work = async (): Promise<unknown> => await this.#perform(call, input);
      return held === undefined ? await work() : await held.pass(call, work);
    });
  }

  async #perform({ name }: Call, input: unknown): Promise<unknown> {
    const work = anyActivity.parse(Reflect.get(this.#activities, name))(input);
    const over = work.catch(() => undefined);
    this.#underWay.add(over);
    void over.then(() => this.#underWay.delete(over));
    return await work;
  }

  /** Resolves once every attempt has ended, including those that nobody waits for any more. */
  async #settled(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  #stopAt(): Stop {
    const { begins, sends } = this.#kind;
    if (this.#phase === "before") return new HeldActivity("before", ({ name }) => name === begins);
    if (this.#phase === "staging") return new HeldActivity("behind", ({ name }) => name === begins);
    if (this.#phase === "sending") return new HeldRequest(sends.step, sends.passing);
    if (this.#phase === "between") {
      return new HeldActivity(
        "before",
        ({ execution }) => this.#first !== "" && execution !== this.#first,
      );
    }
    return new HeldActivity("before", () => false);
  }

  async #start({ type, input }: Started, workflowId: string): Promise<string> {
    const { client } = this.#world;
    this.#ids.push(workflowId);
    const handle = await client.workflow.start(type, { taskQueue, workflowId, args: [input] });
    return handle.firstExecutionRunId;
  }

  /** How a workflow ended; fails if it does not end. */
  async #end(workflowId: string): Promise<Ended> {
    const { client } = this.#world;
    const over = client.workflow
      .getHandle(workflowId)
      .result()
      .then((result: unknown) => ({ word: outcomeOf(result), message: "" }), endOf);
    const late = delay(endsMsMax, undefined, { ref: false }).then(() => ({
      word: "hangs",
      message: "",
    }));
    const end = await Promise.race([over, late]);
    if (end.word === "hangs") this.#violations.push(`${workflowId} does not end`);
    return end;
  }

  async #runToEnd(started: Started, what: string): Promise<void> {
    const id = `${this.#prefix}.${what}`;
    await this.#start(started, id);
    const { word, message } = await this.#end(id);
    if (word !== "done") this.#violations.push(`${what}: ${word} ${message}`);
  }

  /** Brings the run to its phase. */
  async #bring(): Promise<void> {
    this.#first = await this.#start(this.#subject.run, this.#id);
    if (this.#phase !== "ended") return await this.#reached();
    if (this.#kind.waits) await this.#approve(this.#id);
    await this.#end(this.#id);
    await this.#subject.renew();
    await this.#runToEnd(this.#subject.next, "meanwhile");
  }

  async #reached(): Promise<void> {
    if (this.#kind.waits) {
      await this.#untilPlanned(this.#id);
      if (this.#phase === "before") return;
      await this.#approve(this.#id);
    }
    const end = this.#end(this.#id).then(({ word, message }) => {
      throw new Error(`it ended before: ${word} ${message}`);
    });
    end.catch(() => undefined);
    await Promise.race([this.#stop.reached, end]);
  }

  async #untilPlanned(id: string): Promise<void> {
    const handle = this.#world.client.workflow.getHandle(id);
    while ((await handle.query("plan")) === null) await delay(20);
  }

  /** Approves the plan of a backfill that waits; does nothing for other kinds. */
  async #approve(id: string): Promise<void> {
    const handle = this.#world.client.workflow.getHandle(id);
    await this.#untilPlanned(id).catch(() => undefined);
    await handle.executeUpdate("approve").catch(() => undefined);
  }

  async try(action: Action): Promise<Tried> {
    const { client } = this.#world;
    const { harness, next, renew, wrong } = this.#subject;
    await this.#bring();
    const sent = (await harness.sandbox.ledger()).length;
    const acting = await action.act({
      client,
      workflowId: this.#id,
      type: this.#subject.run.type,
      firstRunId: this.#first,
    });
    if (acting.started !== undefined) this.#ids.push(acting.started);
    if (this.#stop instanceof HeldActivity || !acting.ends) this.#stop.open();
    // Another sender must not wait for a person.
    if (this.#kind.waits === true) await this.#runToEnd(next, "meanwhile");
    const told = await this.#endOfAll(acting);
    if (this.#phase === "ended" && acting.started === undefined) await this.#checkSilence(sent);
    if (this.#phase !== "ended") {
      await renew();
      await this.#runToEnd(next, "next");
    }
    if (this.#stop instanceof HeldRequest) await this.#stop.landed();
    await this.#settled();
    harness.clock.nowMs += overMs;
    if (next.type !== "searchPull") {
      await this.#runToEnd({ type: "resend", input: { sync: "accounts" } }, "resend");
    }
    this.#violations.push(...(await wrong()));
    await closeAbandoned(this.#deps);
    await this.#checkStore();
    await this.#leave();
    return {
      told: acting.isImpossible === true ? undefined : told,
      violations: acting.isImpossible === true ? [] : this.#violations,
    };
  }

  /** A run that has ended sends nothing more, and pays for nothing. */
  async #checkSilence(sent: number): Promise<void> {
    const now = (await this.#subject.harness.sandbox.ledger()).length;
    if (now > sent) this.#violations.push(`a run that had ended made ${now - sent} requests`);
  }

  /** The end of the run, and of what was started with it. */
  async #endOfAll(acting: Acting): Promise<string> {
    const { refused, started } = acting;
    if (this.#kind.waits === true) await this.#approveIfOpen(this.#id);
    if (acting.isPaused === true) await this.#resume();
    const { word, message } = await this.#end(this.#id);
    this.#explain(word, message);
    const parts = [
      refused === undefined ? "" : `refused: ${refused}`,
      word === "" ? "" : `the run: ${word}${message === "" ? "" : ` (${message})`}`,
    ];
    if (started !== undefined && started !== this.#id) {
      const other = await this.#endOfOther(started);
      parts.push(`the other: ${other}`);
    }
    return parts.filter((part) => part !== "").join("; ");
  }

  async #approveIfOpen(id: string): Promise<void> {
    const { status } = await this.#world.client.workflow.getHandle(id).describe();
    if (status.name === "RUNNING") await this.#approve(id);
  }

  async #resume(): Promise<void> {
    const handle = this.#world.client.workflow.getHandle(this.#id);
    await handle.executeUpdate("resume");
  }

  async #endOfOther(id: string): Promise<string> {
    const handle = this.#world.client.workflow.getHandle(id);
    if (waitsForOthers.has(this.#subject.run.type) && this.#phase !== "ended") {
      // It waits a minute or more before it retries: nobody waits for that here.
      await handle.terminate("tried").catch(() => undefined);
      return "waits";
    }
    if (this.#kind.waits === true) await this.#approveIfOpen(id);
    const { word, message } = await this.#end(id);
    this.#explain(word, message);
    return `${word}${message === "" ? "" : ` (${message})`}`;
  }

  #explain(word: string, message: string): void {
    const code = /^fails: (.*)$/.exec(word)?.[1];
    if (code === undefined) return;
    if (unexplained.has(code)) this.#violations.push(`fails without an explanation: ${message}`);
    if (message === "") this.#violations.push(`${code} says nothing`);
  }

  /** Checks that nothing of any run is left: no open run, no lock, no staged file, no report that does not balance. */
  async #checkStore(): Promise<void> {
    const { state, target, stagingFolder } = this.#deps;
    const runs = await state.runs({ limit: 50 });
    for (const { runId, outcome, failure, kind, sync } of runs) {
      if (outcome === null) this.#violations.push(`run ${runId} is still open`);
      if (failure !== null && unexplained.has(failure.code)) {
        this.#violations.push(`run ${runId}: ${failure.message}`);
      }
      const name = kind === "pull" ? pullLock(target, sync) : sendLock(target, sync);
      const holder = await state.lockHolder(name);
      if (holder !== undefined) this.#violations.push(`run ${holder.runId} holds the lock`);
    }
    const staged = await stagedRunsIn(stagingFolder);
    if (staged.length > 0) this.#violations.push(`staged files are left: ${staged.join(", ")}`);
  }

  /** Ends everything still open, so that it does not affect the next trial. */
  async #leave(): Promise<void> {
    for (const id of this.#ids) {
      await this.#world.client.workflow
        .getHandle(id)
        .terminate("over")
        .catch(() => undefined);
    }
  }
}

/**
 * Performs an action on a run of a kind in a phase, and checks the consequences for it, for the next run and for the
 * service's data.
 */
export async function tryAction(
  world: World,
  at: { readonly kind: Kind; readonly phase: Phase; readonly action: Action },
): Promise<Tried> {
  const { kind, phase, action } = at;
  const subject = await kind.open({ continues: phase === "between" });
  const trial = new Trial(world, { kind, phase, subject });
  return await trial.try(action);
}
