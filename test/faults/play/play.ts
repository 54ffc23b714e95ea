import type { ApplicationFailure } from "@temporalio/common";
import { z } from "zod";

import type { PartRef } from "../../../activities/inputs.ts";
import type { ApiClient } from "../../../src/api/client.ts";
import { SignedUrl } from "../../../src/api/signed-url.ts";
import type { Step } from "../../../src/sandbox/faults/faults.ts";
import { accountsCsv, accountsYaml, Harness } from "../../support/project/harness.ts";
import { TestRun } from "../../support/project/test-run.ts";
import type { Case, Meets, SendColumn } from "./cell.ts";

/** Records of the one chunk that every cell sends. */
export const rows = 5;

/** The sandbox's name for each column's request. */
export const stepOf = {
  generate: "generate-upload-url",
  put: "put",
  confirm: "confirm-upload",
  json: "upload-json",
} as const satisfies Record<SendColumn, Step>;

const facts = z.tuple([z.looseObject({ waitMs: z.number().optional() })]);

/** One part, staged and sent up to the request of a column, and what happens to that request. */
export class Play {
  readonly column: SendColumn;
  readonly run: TestRun;
  readonly part: PartRef;
  /** Requests of the column that went to a server other than the sandbox. */
  elsewhere = 0;
  /** The client through which the last attempt met its fault. */
  #api: Partial<ApiClient> = {};
  readonly #fileKey: string;
  #attempts = 0;

  private constructor(at: Pick<Play, "column" | "part" | "run">, fileKey: string) {
    ({ column: this.column, run: this.run, part: this.part } = at);
    this.#fileKey = fileKey;
  }

  static async prepare(
    column: SendColumn,
    { sandbox = {} }: Pick<Case, "sandbox"> = {},
  ): Promise<Play> {
    const files = { "accounts.csv": accountsCsv(rows) };
    const harness = await Harness.open({ yaml: accountsYaml(), files, sandbox, random: () => 0.9 });
    const run = await TestRun.open(harness);
    const part = run.part(await run.stage());
    if (column !== "confirm") return new Play({ column, run, part }, "");
    const { fileKey } = await harness.perform(harness.activities.uploadFile, part);
    return new Play({ column, run, part }, fileKey);
  }

  get harness(): Harness {
    return this.run.harness;
  }

  /** An attempt whose request meets no fault. */
  async attempt(api: Partial<ApiClient> = {}): Promise<unknown> {
    this.#attempts += 1;
    const { harness, part } = this;
    const how = { attempt: this.#attempts };
    const activities = harness.activitiesWith({ api: { ...harness.deps.api, ...api } });
    if (this.column === "json") return await harness.perform(activities.uploadJson, part, how);
    if (this.column !== "confirm") return await harness.perform(activities.uploadFile, part, how);
    const input = { ...part, fileKey: this.#fileKey };
    return await harness.perform(activities.confirmUpload, input, how);
  }

  /** An attempt whose request meets a fault. */
  async meet(meets: Meets): Promise<unknown> {
    const { action, timeouts } = meets;
    if (action !== undefined) this.harness.sandbox.order(stepOf[this.column], action);
    if (meets.server === undefined && timeouts === undefined) return await this.attempt();
    if (meets.server !== undefined) this.elsewhere += 1;
    const url = (await meets.server?.()) ?? new URL(this.harness.sandbox.address);
    this.#api = this.#through(url, meets);
    return await this.attempt(this.#api);
  }

  /** An attempt to the place where the last one met its fault. */
  async tryEarly(): Promise<unknown> {
    return await this.attempt(this.#api);
  }

  /** State of the part's receipt. */
  async receiptState(): Promise<string | undefined> {
    return (await this.run.receipt(this.part))?.state;
  }

  /** The column's request through another client, to another server if there is one. */
  #through(url: URL, { server, timeouts }: Meets): Partial<ApiClient> {
    const other = this.harness.clientOf(url, timeouts);
    const signed = new SignedUrl(new URL("/put?signature=canary-signature", url));
    const requests = {
      generate: { generateUploadUrl: async (input) => await other.generateUploadUrl(input) },
      put: {
        putFile: async ({ uploadUrl, ...input }) =>
          await other.putFile({ ...input, uploadUrl: server === undefined ? uploadUrl : signed }),
      },
      confirm: { confirmUpload: async (input) => await other.confirmUpload(input) },
      json: { uploadJson: async (input) => await other.uploadJson(input) },
    } as const satisfies Record<SendColumn, Partial<ApiClient>>;
    return requests[this.column];
  }

  /** Every request that the sandbox saw, in order. */
  async requests(): Promise<string[]> {
    return (await this.harness.sandbox.ledger()).map(({ step }) => step);
  }

  /** Has the part's file processed, in the columns that end before that. */
  async confirm(): Promise<void> {
    if (this.column === "confirm" || this.column === "json") return;
    const { harness, part, run } = this;
    const fileKey = (await run.receipt(part))?.fileKey ?? "";
    await harness.perform(harness.activities.confirmUpload, { ...part, fileKey });
  }
}

/** How long Temporal or the workflow waits before the next attempt, in ms; undefined leaves it to the policy. */
export function waitOf({ nextRetryDelay, details }: ApplicationFailure): number | undefined {
  const [{ waitMs }] = facts.parse(details);
  if (waitMs !== undefined) return waitMs;
  return nextRetryDelay === undefined ? undefined : z.number().parse(nextRetryDelay);
}

/** The one blocked limit: what it is for, and for how many ms; undefined if there is none. */
export async function blockedLimit({
  state,
  clock,
}: Pick<Harness, "clock" | "state">): Promise<
  { readonly of: string; readonly forMs: number } | undefined
> {
  const limits = await state.rateLimits(clock.moment());
  const blocked = limits.filter(({ blockedUntil }) => (blockedUntil ?? 0) > clock.nowMs);
  const [limit, ...others] = blocked;
  if (others.length > 0) throw new Error("more than one limit is blocked");
  if (limit === undefined) return undefined;
  const of = limit.limit.replace(/^put:.*/, "storage").replace(/^api:[0-9a-f]{8}/, "key");
  return { of, forMs: (limit.blockedUntil ?? 0) - clock.nowMs };
}
