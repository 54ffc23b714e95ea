import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout } from "node:timers/promises";

import type { FaultOrders } from "../faults/fault-orders.ts";
import { type FaultAction, faultName, isOfStep } from "../faults/faults.ts";
import type { LedgerEntry } from "../ledger.ts";
import type { Step } from "../steps.ts";
import type { UploadStore } from "../upload/upload-store.ts";
import type { Upload } from "../upload/upload.ts";
import { type SandboxAnswer, json, message, storageError } from "./answers.ts";
import { heldRequest } from "./held-request.ts";
import { operationOf } from "./operation.ts";
import { closed, reply, send, sendAndClose } from "./replies.ts";
import { readAway } from "./request-body.ts";

/** A step's outcome for a request. Members that `entry` does not name have their defaults. */
export type ExchangeOutcome = {
  readonly answer: SandboxAnswer;
  readonly entry?: Partial<Omit<LedgerEntry, "status" | "step" | "t">>;
  /** The new state of the upload, if it changed. */
  readonly upload?: Upload | undefined;
  /** Name of a file that the new state no longer refers to. */
  readonly obsolete?: string | null | undefined;
};

/** One request to a step. */
export type SandboxCall = {
  readonly request: IncomingMessage;
  readonly url: URL;
  /** The fault to carry out: a step looks only for its own kinds, and its entry names the one that it carried out. */
  readonly fault: FaultAction | undefined;
  /** The ledger's record of a request that breaks off; a step keeps it up to date. */
  readonly soFar: { file_key: string | null; bytes: number };
};

/**
 * A step of the service. It reads the request, then returns a function that decides about it. The decision looks at the
 * state and is synchronous, so that nothing comes between it and the commit.
 */
export type StepHandler = (call: SandboxCall) => Promise<() => ExchangeOutcome>;

/** The parts that every exchange needs. */
export type ExchangeParts = {
  readonly store: UploadStore;
  readonly faults: FaultOrders;
  /** Aborts when the sandbox closes. */
  readonly closing: AbortSignal;
};

/** A request to be answered. */
export type IncomingCall = {
  readonly request: IncomingMessage;
  readonly url: URL;
  readonly response: ServerResponse;
};

/** Carries out one step: fault, handler, ledger, and only then the answer. */
export class SandboxExchange {
  readonly #parts: ExchangeParts;
  readonly #step: Step;

  constructor(parts: ExchangeParts, step: Step) {
    this.#parts = parts;
    this.#step = step;
  }

  /** Answers a request, or closes its connection; never rejects. */
  async run(incoming: IncomingCall, handler: StepHandler): Promise<void> {
    const { request, response } = incoming;
    try {
      const fault = this.#parts.faults.next({
        step: this.#step,
        operation: await operationOf(this.#step, request, this.#parts.store),
      });
      if (fault !== undefined && "delayMs" in fault) {
        await setTimeout(fault.delayMs, undefined, { signal: this.#parts.closing });
      }
      const held =
        fault !== undefined && "holdMs" in fault ? await this.#hold(incoming, fault) : incoming;
      const isForestalled = fault !== undefined && (await this.#forestall(incoming, fault));
      if (isForestalled) return;
      const answer = await this.#do(held, handler, fault);
      if (answer === undefined) request.socket.destroy();
      else await reply(response, answer, fault);
    } catch {
      // Nothing was promised: state and ledger could not be stored, or the client did not wait for the end.
      if (response.headersSent) response.destroy();
      else send(response, this.#failure());
    }
  }

  async #hold(
    incoming: IncomingCall,
    { holdMs }: Extract<FaultAction, { holdMs: number }>,
  ): Promise<IncomingCall> {
    const request = await heldRequest(incoming.request);
    await setTimeout(holdMs, undefined, { signal: this.#parts.closing });
    return { ...incoming, request };
  }

  /** Carries out a fault that prevents the step; false when the fault is of another kind. */
  async #forestall({ request, response }: IncomingCall, fault: FaultAction): Promise<boolean> {
    const name = faultName(fault);
    if ("status" in fault) {
      const answer = this.#ordered(fault);
      await this.#commit({ answer }, name);
      send(response, answer);
    } else if ("closeAfter" in fault) {
      const answer = this.#ordered(fault.closeAfter);
      await this.#commit({ answer }, name);
      await sendAndClose(response, answer);
    } else if ("early200" in fault) {
      const answer = { status: 200, headers: {}, body: "" };
      await this.#commit({ answer }, name);
      if (fault.early200 === "close") await sendAndClose(response, answer);
      else send(response, answer);
    } else if ("resetAt" in fault) {
      await this.#commit({ entry: { bytes: await readAway(request, fault.resetAt) } }, name);
      request.socket.resetAndDestroy();
    } else if ("dropRequest" in fault) {
      await this.#commit({ entry: { bytes: await readAway(request, Infinity) } }, name);
      request.socket.destroy();
    } else if ("stopReadingAt" in fault) {
      const bytes = await readAway(request, fault.stopReadingAt);
      request.pause();
      await this.#commit({ entry: { bytes } }, name);
      await closed(response);
    } else return false;
    return true;
  }

  /** Runs the handler and records its answer; undefined when the client is gone. */
  async #do(
    { request, url }: IncomingCall,
    handler: StepHandler,
    fault: FaultAction | undefined,
  ): Promise<SandboxAnswer | undefined> {
    const soFar = { file_key: null, bytes: 0 };
    const name = fault === undefined || isOfStep(fault) ? null : faultName(fault);
    let decide: () => ExchangeOutcome;
    try {
      decide = await handler({ request, url, fault, soFar });
    } catch {
      const isGone = request.destroyed && !request.complete;
      const outcome = isGone ? {} : { answer: this.#failure() };
      return await this.#commit({ ...outcome, entry: soFar }, name);
    }
    return await this.#commit(decide(), name);
  }

  async #commit(
    outcome: Partial<ExchangeOutcome>,
    fault: LedgerEntry["fault"],
  ): Promise<SandboxAnswer | undefined> {
    const entry: LedgerEntry = {
      t: new Date().toISOString(),
      step: this.#step,
      file_key: null,
      gzip_sha256: null,
      jsonl_sha256: null,
      records: null,
      bytes: 0,
      status: outcome.answer?.status ?? null,
      applied: false,
      fault,
      ...outcome.entry,
    };
    await this.#parts.store.commit({ ...outcome, entry });
    return outcome.answer;
  }

  #ordered(fault: Extract<FaultAction, { status: number }>): SandboxAnswer {
    const plain =
      this.#step === "put"
        ? storageError(fault.status, ordered)
        : message(fault.status, ordered.text);
    const { body } = fault;
    const answer =
      body === undefined
        ? plain
        : typeof body === "string"
          ? { ...plain, body }
          : json(fault.status, body);
    return { ...answer, headers: { ...answer.headers, ...fault.headers } };
  }

  #failure(): SandboxAnswer {
    const text = "The sandbox failed";
    return this.#step === "put"
      ? storageError(500, { code: "InternalError", text })
      : message(500, text);
  }
}

const ordered = { code: "OrderedFault", text: "A fault was ordered for this request" };
