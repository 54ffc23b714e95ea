import { request } from "undici";
import { onTestFinished } from "vitest";
import { z } from "zod";

import type { Stream } from "../../src/records/streams.ts";
import type { SandboxFault, Step } from "../../src/sandbox/faults/faults.ts";
import { startSandbox, type Sandbox, type SandboxSettings } from "../../src/sandbox/http/server.ts";

const entry = z.object({
  step: z.string(),
  file_key: z.string().nullable(),
  gzip_sha256: z.string().nullable(),
  records: z.int().nullable(),
  bytes: z.int(),
  status: z.int().nullable(),
  applied: z.boolean(),
});

/** What a test reads from a ledger line. */
export type LedgerEntry = z.output<typeof entry>;

const visible = z.object({ record: z.record(z.string(), z.unknown()) });

/** A sandbox on a free port, with methods for tests. */
export class SandboxView {
  readonly #sandbox: Sandbox;

  private constructor(sandbox: Sandbox) {
    this.#sandbox = sandbox;
  }

  static async start(
    dataFolder: string,
    settings: Partial<SandboxSettings> = {},
  ): Promise<SandboxView> {
    const sandbox = await startSandbox({ host: "127.0.0.1", port: 0, ...settings, dataFolder });
    onTestFinished(async () => await sandbox.close());
    return new SandboxView(sandbox);
  }

  get address(): string {
    return this.#sandbox.address;
  }

  /** Makes the next request of a step fail. */
  order(
    step: Step,
    action: SandboxFault["do"],
    when: Omit<SandboxFault, "do" | "step"> = {},
  ): void {
    this.#sandbox.order({ step, do: action, ...when });
  }

  /**
   * Makes the service refuse what is sent next, naming records by their indices in it. If the first record is not among
   * them, the part is cut before the first one named, so what is behind the cut is refused once more.
   */
  refuse(step: "confirm-upload" | "upload-json", named: readonly number[]): void {
    const prefix = step === "upload-json" ? ["body", "data"] : ["file"];
    const [first = 0] = named;
    const order = (from: number, after: number): void => {
      const detail = named.map((index) => {
        return { loc: [...prefix, index - from, "domain"], msg: "bad", type: "value_error" };
      });
      this.order(step, { status: 422, body: { detail } }, { after });
    };
    order(0, 0);
    if (first > 0) order(first, 2);
  }

  /** Every request so far, or only those of one step. */
  async ledger(step?: Step): Promise<LedgerEntry[]> {
    const entries = (await this.#lines("/_sandbox/ledger")).map((line) => entry.parse(line));
    return step === undefined ? entries : entries.filter((each) => each.step === step);
  }

  /** The names of the accounts that the service holds, by id. */
  async names(): Promise<ReadonlyMap<string, unknown>> {
    const records = await this.records();
    return new Map(
      records.map((record) => [
        String(record["account_id"]),
        z.object({ name: z.unknown() }).parse(record["account_properties"]).name,
      ]),
    );
  }

  /** The records of a stream that the service holds. */
  async records(stream: Stream = "account"): Promise<Record<string, unknown>[]> {
    const lines = await this.#lines(`/_sandbox/records?stream=${stream}`);
    return lines.map((line) => visible.parse(line).record);
  }

  /** Records in the requests that the service took. Repeated ones count each time. */
  async recordsTaken(): Promise<number> {
    const taken = (await this.ledger()).filter(({ applied }) => applied);
    return taken.reduce((sum, { records }) => sum + (records ?? 0), 0);
  }

  async #lines(path: string): Promise<unknown[]> {
    const { body } = await request(`${this.#sandbox.address}${path}`);
    const lines = (await body.text()).split("\n").filter((line) => line !== "");
    return lines.map((line): unknown => JSON.parse(line));
  }
}
