import { requestAttempt } from "../../../activities/attempt.ts";
import { withRetryBudget } from "../../../activities/upload/retry-budget.ts";
import type { ApiClient } from "../../../src/api/client.ts";
import { beginPass, nextCursor, withSmallerPages } from "../../../src/api/pass.ts";
import type { Pass } from "../../../src/api/pass.ts";
import type { SearchPage } from "../../../src/api/search.ts";
import { mayHaveSucceeded, TooLargeError } from "../../../src/errors.ts";
import { accountsCsv, accountsYaml, Harness } from "../../support/project/harness.ts";
import { TestRun } from "../../support/project/test-run.ts";
import type { Case, Meets } from "./cell.ts";
import type { Tried } from "./meet.ts";

/** Results a page, as long as no page is too large. */
const limit = 10;

/** One page that is requested in a run's name, as the activity of a pull does. */
export class PagePlay implements Tried {
  readonly run: TestRun;
  /** Requests that went to a server other than the sandbox. */
  elsewhere = 0;
  /** Failed attempts after which the page may have been paid for. */
  possiblyPaid = 0;
  pass: Pass = beginPass(limit);
  /** The client through which the last attempt met its fault. */
  #api: Pick<ApiClient, "search">;
  #attempts = 0;

  constructor(run: TestRun) {
    this.run = run;
    this.#api = run.harness.deps.api;
  }

  static async prepare({ sandbox = {} }: Pick<Case, "sandbox"> = {}): Promise<PagePlay> {
    const files = { "accounts.csv": accountsCsv(1) };
    const harness = await Harness.open({ yaml: accountsYaml(), files, sandbox, random: () => 0.9 });
    return new PagePlay(await TestRun.open(harness));
  }

  get harness(): Harness {
    return this.run.harness;
  }

  /** An attempt whose request meets no fault. */
  async attempt(api: Pick<ApiClient, "search"> = this.harness.deps.api): Promise<SearchPage> {
    this.#attempts += 1;
    const { deps } = this.harness;
    const place = { ...this.run.opened, chunk: 1, stage: 1, part: 0 };
    const ask = async (): Promise<SearchPage> =>
      await requestAttempt(
        deps,
        place,
        async ({ signal }) =>
          await withRetryBudget(deps, place, async () => await this.#ask(api, signal)),
      );
    return await this.harness.perform(ask, undefined, { attempt: this.#attempts });
  }

  async meet({ action, server, timeouts }: Meets): Promise<SearchPage> {
    const { harness } = this;
    if (action !== undefined) harness.sandbox.order("search", action);
    if (server !== undefined) this.elsewhere += 1;
    const url = (await server?.()) ?? new URL(harness.sandbox.address);
    const isOther = server !== undefined || timeouts !== undefined;
    this.#api = isOther ? harness.clientOf(url, timeouts) : harness.deps.api;
    return await this.attempt(this.#api);
  }

  async tryEarly(): Promise<SearchPage> {
    return await this.attempt(this.#api);
  }

  async requests(): Promise<string[]> {
    return (await this.harness.sandbox.ledger()).map(({ step }) => step);
  }

  async receiptState(): Promise<undefined> {
    return undefined;
  }

  async #ask(api: Pick<ApiClient, "search">, signal: AbortSignal): Promise<SearchPage> {
    const query = { limit: this.pass.limit };
    try {
      return await api.search({
        of: "accounts",
        query,
        cursor: nextCursor(this.pass),
        signal,
      });
    } catch (error) {
      if (mayHaveSucceeded(error)) this.possiblyPaid += 1;
      if (error instanceof TooLargeError) this.pass = withSmallerPages(this.pass, error);
      throw error;
    }
  }
}
