import { condition } from "@temporalio/workflow";
import { z } from "zod";

import type { OpenedRun } from "../../activities/inputs.ts";
import type { Hold } from "../../src/state/contract/runs/holds.ts";
import { activitiesOf } from "../policies.ts";
import { onUpdate, refusal } from "../updates.ts";
import type { RunView } from "./run-view.ts";
import { runRef } from "./send-chunk.ts";

/** The hold and the records that an approval is for; it does not hold for others. */
const approval = z.strictObject({ hold: z.int(), digest: z.string() });

/** The input that a person types to approve a hold. */
function approvalText({ number, digest }: Hold): string {
  return JSON.stringify({ hold: number, digest });
}

/** A person's consent to what a run has staged: asked for where a guardrail is broken, given by an update. */
export class Consent {
  readonly #view: RunView;
  #decision: "approve" | "discard" | undefined;
  /**
   * Whether the run is being weighed. The store holds a run before its workflow knows, which may take as long as a dead
   * worker is waited for. An answer in between is judged once the workflow knows, too.
   */
  #isWeighing = false;

  constructor(view: RunView) {
    this.#view = view;
    onUpdate("approve", {
      description: 'Send what is held: {"hold": 1, "digest": "…"} as the details show it',
      validator: (input) => {
        if (!this.#isWeighing) this.#assertNamed(input);
      },
      handler: async (input) => await this.#decideOnceWeighed("approve", input),
    });
    onUpdate("discard", {
      description: "End a run that is held; nothing more of it is sent",
      validator: () => {
        if (!this.#isWeighing) this.#assertHeld();
      },
      handler: async () => await this.#decideOnceWeighed("discard"),
    });
  }

  /** Weighs what is staged, and waits for a person if it is held. Returns whether to send it. */
  async toSend(opened: OpenedRun): Promise<boolean> {
    const { approveHold } = activitiesOf(opened);
    const held = await this.#weigh(opened);
    if (held === null) return true;
    try {
      await condition(() => this.#decision !== undefined, opened.settings.consentMs ?? 0);
    } finally {
      // Nobody answered in time, or it was cancelled: an answer would come too late.
      if (this.#decision === undefined) this.#decide("discard");
    }
    const isApproved = this.#decision === "approve";
    if (isApproved) await approveHold({ ...runRef(opened), number: held.number });
    return isApproved;
  }

  async #weigh(opened: OpenedRun): Promise<Hold | null> {
    this.#decision = undefined;
    this.#isWeighing = true;
    try {
      const held = await activitiesOf(opened).weighRun(runRef(opened));
      if (held !== null) this.#view.update({ held, waiting: null });
      return held;
    } finally {
      this.#isWeighing = false;
    }
  }

  async #decideOnceWeighed(decision: "approve" | "discard", input?: unknown): Promise<void> {
    if (this.#isWeighing) {
      await condition(() => !this.#isWeighing);
      // The first of two waiting answers counts.
      if (decision === "approve") this.#assertNamed(input);
      else this.#assertHeld();
    }
    this.#decide(decision);
  }

  #decide(decision: "approve" | "discard"): void {
    this.#decision = decision;
    this.#view.update({ held: undefined });
  }

  #assertHeld(): Hold {
    const { held, report } = this.#view.progress;
    if (report !== null) throw refusal("the run has ended");
    if (held === undefined && this.#decision === "approve")
      throw refusal("the run was approved already: it continues");
    if (held === undefined && this.#decision === "discard")
      throw refusal("the run is ending: nothing of it waits for consent any more");
    if (held === undefined) throw refusal("the run is not held: nothing of it waits for consent");
    return held;
  }

  #assertNamed(input: unknown): void {
    const held = this.#assertHeld();
    const named = approval.safeParse(input).data;
    if (named === undefined) {
      throw refusal(`say what you approve, as the details show it: ${approvalText(held)}`);
    }
    if (named.hold === held.number && named.digest === held.digest) return;
    throw refusal(
      `that is not what is held now: look at the details again, and approve ${approvalText(held)}`,
    );
  }
}
