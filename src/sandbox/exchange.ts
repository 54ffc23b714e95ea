import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout } from "node:timers/promises";

import { type Answer, json, message, storageError } from "./answers.ts";
import type { FaultAction, FaultOrders, Step } from "./faults.ts";
import type { LedgerEntry } from "./ledger.ts";
import { readAway } from "./request-body.ts";
import type { UploadStore } from "./upload-store.ts";
import type { Upload } from "./upload.ts";

/** What a step makes of a request. What the entry does not name is null. */
export type Outcome = {
  readonly answer: Answer;
  readonly entry?: Partial<Omit<LedgerEntry, "status" | "step" | "t">>;
  /** The new state of the upload, if it changed. */
  readonly upload?: Upload | undefined;
  /** Name of a file that the new state no longer refers to. */
  readonly obsolete?: string | null | undefined;
};

/** One request to a step. */
export type Call = {
  readonly request: IncomingMessage;
  readonly url: URL;
  readonly expireUrl: boolean;
};

/**
 * A step of the service. It reads the request, then hands back what decides about it: the decision looks at the state and
 * takes no time, so that nothing comes between it and the commit.
 */
export type StepHandler = (call: Call) => Promise<() => Outcome>;

/** What every exchange needs. */
export type ExchangeParts = {
  readonly store: UploadStore;
  readonly faults: FaultOrders;
  /** Aborts when the sandbox closes. */
  readonly closing: AbortSignal;
};

/** A request to be answered. */
export type Ask = {
  readonly request: IncomingMessage;
  readonly url: URL;
  readonly response: ServerResponse;
};

/** Does one step: fault, handler, ledger, and only then the answer. */
export class Exchange {
  readonly #parts: ExchangeParts;
  readonly #step: Step;

  constructor(parts: ExchangeParts, step: Step) {
    this.#parts = parts;
    this.#step = step;
  }

  /** Answers a request, or closes its connection; never rejects. */
  async run(ask: Ask, handler: StepHandler): Promise<void> {
    const { request, url, response } = ask;
    const fault = this.#parts.faults.next(this.#step);
    try {
      const answer = await this.#answer({ request, url, fault, handler });
      if (answer === undefined || (fault !== undefined && "dropReply" in fault)) {
        request.socket.destroy();
      } else send(response, answer);
    } catch {
      // Nothing was promised: neither the state nor the ledger could be kept.
      send(response, this.#failure());
    }
  }

  /** The answer, recorded; undefined when the connection is to be closed instead. */
  async #answer(ask: {
    request: IncomingMessage;
    url: URL;
    fault: FaultAction | undefined;
    handler: StepHandler;
  }): Promise<Answer | undefined> {
    const { request, fault } = ask;
    if (fault !== undefined) {
      if ("delayMs" in fault) {
        await setTimeout(fault.delayMs, undefined, { signal: this.#parts.closing });
      }
      if ("status" in fault) return await this.#commit({ answer: this.#ordered(fault) });
      if ("resetAt" in fault || "dropRequest" in fault) {
        const bytes = await readAway(request, "resetAt" in fault ? fault.resetAt : Infinity);
        await this.#commit({ entry: { bytes } });
        if ("resetAt" in fault) request.socket.resetAndDestroy();
        return undefined;
      }
    }
    const expireUrl = fault !== undefined && "expireUrl" in fault;
    let decide: () => Outcome;
    try {
      decide = await ask.handler({ request, url: ask.url, expireUrl });
    } catch {
      const isGone = request.destroyed && !request.complete;
      return await this.#commit(isGone ? {} : { answer: this.#failure() });
    }
    return await this.#commit(decide());
  }

  async #commit(outcome: Partial<Outcome>): Promise<Answer | undefined> {
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
      ...outcome.entry,
    };
    await this.#parts.store.commit({ ...outcome, entry });
    return outcome.answer;
  }

  #ordered(fault: Extract<FaultAction, { status: number }>): Answer {
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

  #failure(): Answer {
    const text = "The sandbox failed";
    return this.#step === "put"
      ? storageError(500, { code: "InternalError", text })
      : message(500, text);
  }
}

const ordered = { code: "OrderedFault", text: "A fault was ordered for this request" };

/** Sends an answer whole. */
export function send(response: ServerResponse, answer: Answer): void {
  response.writeHead(answer.status, {
    ...answer.headers,
    "content-length": Buffer.byteLength(answer.body),
  });
  response.end(answer.body);
}
