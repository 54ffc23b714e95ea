import type { ApiClient } from "../../src/api/client.ts";
import type { ConfirmUploadInput, UploadJsonInput } from "../../src/api/ingestion.ts";
import type { SearchPageInput } from "../../src/api/search.ts";
import type { Call } from "../support/temporal/world.ts";

/** A point at which a run is held. */
export type Stop = {
  /** Resolves when a run has reached it. */
  readonly reached: Promise<void>;
  /** Lets it continue. */
  open(): void;
};

/** Holds the first matching activity, before its work or after it. */
export class HeldActivity implements Stop {
  readonly #reached = Promise.withResolvers<void>();
  readonly #opened = Promise.withResolvers<void>();
  readonly #fits: (call: Call) => boolean;
  readonly #where: "before" | "behind";
  #isTaken = false;

  constructor(where: "before" | "behind", fits: (call: Call) => boolean) {
    this.#where = where;
    this.#fits = fits;
  }

  get reached(): Promise<void> {
    return this.#reached.promise;
  }

  open(): void {
    this.#isTaken = true;
    this.#opened.resolve();
  }

  /** Wraps an activity. */
  async pass(call: Call, work: () => Promise<unknown>): Promise<unknown> {
    if (this.#isTaken || !this.#fits(call)) return await work();
    this.#isTaken = true;
    if (this.#where === "before") await this.#wait();
    const result = await work();
    if (this.#where === "behind") await this.#wait();
    return result;
  }

  async #wait(): Promise<void> {
    this.#reached.resolve();
    await this.#opened.promise;
  }
}

/** The requests at which a run is held: those by which the service takes records, or is paid. */
export type HeldStep = "confirmUpload" | "search" | "uploadJson";

type Input = { readonly signal: AbortSignal; readonly beforeSend?: (() => void) | undefined };

/**
 * Holds one request of a step on its way: it arrives once it is released, even if nobody waits for its answer any more.
 */
export class HeldRequest implements Stop {
  readonly #reached = Promise.withResolvers<void>();
  readonly #opened = Promise.withResolvers<void>();
  readonly #landed = Promise.withResolvers<unknown>();
  readonly #step: HeldStep;
  #toPass: number;

  /** Lets `passing` requests of the step through first. */
  constructor(step: HeldStep, passing: number) {
    this.#step = step;
    this.#toPass = passing;
    this.#landed.promise.catch(() => undefined);
  }

  get reached(): Promise<void> {
    return this.#reached.promise;
  }

  open(): void {
    this.#opened.resolve();
  }

  /** Resolves once the held request has arrived. */
  async landed(): Promise<void> {
    this.open();
    await this.#landed.promise;
  }

  /** The client with the held request. */
  around(api: ApiClient): ApiClient {
    return {
      ...api,
      uploadJson: this.#held(
        "uploadJson",
        async (input: UploadJsonInput) => await api.uploadJson(input),
      ),
      confirmUpload: this.#held(
        "confirmUpload",
        async (input: ConfirmUploadInput) => await api.confirmUpload(input),
      ),
      search: this.#held("search", async (input: SearchPageInput) => await api.search(input)),
    };
  }

  #held<Asked extends Input, Answer>(
    step: HeldStep,
    send: (input: Asked) => Promise<Answer>,
  ): (input: Asked) => Promise<Answer> {
    return async (input) => {
      if (step !== this.#step || this.#toPass-- !== 0) return await send(input);
      input.beforeSend?.();
      const landing = this.#opened.promise.then(
        async () =>
          await send({ ...input, signal: new AbortController().signal, beforeSend: undefined }),
      );
      landing.then(this.#landed.resolve, this.#landed.reject);
      this.#reached.resolve();
      return await Promise.race([landing, abortOf(input.signal)]);
    };
  }
}

/** Rejects once the signal aborts. */
async function abortOf(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(new DOMException("aborted", "AbortError"));
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort, { once: true });
  return await promise;
}
