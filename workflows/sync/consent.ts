import { condition } from "@temporalio/workflow";
import { z } from "zod";

import type { OpenedRun } from "../../activities/inputs.ts";
import type { Hold } from "../../src/state/contract/runs/holds.ts";
import { activitiesOf } from "../policies.ts";
import { onUpdate, refusal } from "../updates.ts";
import type { RunView } from "./run-view.ts";
import { runRef } from "./send-chunk.ts";

/** What an approval names: of another hold, or of other records, it says nothing. */
const approval = z.strictObject({ hold: z.int(), digest: z.string() });

/** What a person types to approve a hold. */
function approvalText({ number, digest }: Hold): string {
  return JSON.stringify({ hold: number, digest });
}

/** A person's consent to what a run has staged: asked for where a guardrail is broken, given by an update. */
export class Consent {
  readonly #view: RunView;
  #decision: "approve" | "discard" | undefined;

  constructor(view: RunView) {
    this.#view = view;
    onUpdate("approve", {
      description: 'Send what is held: {"hold": 1, "digest": "…"} as the details show it',
      validator: (input) => this.#assertNamed(input),
      handler: () => this.#decide("approve"),
    });
    onUpdate("discard", {
      description: "End a run that is held; nothing is sent",
      validator: () => void this.#assertHeld(),
      handler: () => this.#decide("discard"),
    });
  }

  /** Weighs what is staged, and waits for a person where that is held; answers whether it is to be sent. */
  async toSend(opened: OpenedRun): Promise<boolean> {
    const { weighRun, approveHold } = activitiesOf(opened);
    const held = await weighRun(runRef(opened));
    if (held === null) return true;
    this.#decision = undefined;
    this.#view.update({ held, waiting: null });
    await condition(() => this.#decision !== undefined, opened.settings.consentMs ?? 0);
    const isApproved = this.#decision === "approve";
    if (isApproved) await approveHold({ ...runRef(opened), number: held.number });
    return isApproved;
  }

  #decide(decision: "approve" | "discard"): void {
    this.#decision = decision;
    this.#view.update({ held: undefined });
  }

  #assertHeld(): Hold {
    const { held, report } = this.#view.progress;
    if (report !== null) throw refusal("the run has ended");
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
