import { hashBytes, isSent } from "../../../../src/state/contract/keys/fingerprints.ts";
import type { KnownRecord } from "../../../../src/state/contract/keys/known-records.ts";
import type { StageName } from "../../../../src/state/contract/sends/stagings.ts";
import { name, type StoreUnderTest } from "../store-under-test.ts";

/** Keys that a run stages: each with the record of a version, and with one field where there is one. */
type VersionedStaging = {
  readonly runId: string;
  /** @default 1 */
  readonly chunk?: number;
  readonly version: number;
  /** @default "a" and "b" */
  readonly of?: readonly string[];
  readonly field?: number;
};

/** The keys of a store whose records have versions. */
export class VersionedKeys {
  readonly #test: StoreUnderTest;

  constructor(test: StoreUnderTest) {
    this.#test = test;
  }

  /** Stages keys of one version. */
  async stage({
    runId,
    chunk = 1,
    version,
    of = ["a", "b"],
    field,
  }: VersionedStaging): Promise<StageName> {
    const { store } = this.#test;
    const { stage, send } = await store.beginStaging({ runId, chunk, host: "h" });
    const ref = { runId, chunk, stage };
    const hashes = new Uint8Array(of.length * hashBytes).fill(version);
    const { leaving: ids, verdicts } = await this.#test.stageKeys({
      ...ref,
      send,
      keys: of,
      hashes,
    });
    if (field === undefined) return ref;
    const fields = Uint32Array.from(ids, () => field);
    await store.keepFields({
      ...name,
      ...ref,
      ids,
      verdicts: verdicts.filter(isSent),
      fieldBytes: Uint32Array.BYTES_PER_ELEMENT,
      hashes: new Uint8Array(fields.buffer),
    });
    return ref;
  }

  /** A run that sends keys of one version. */
  async run(staging: VersionedStaging): Promise<void> {
    await this.#test.openRun(staging.runId);
    await this.#test.commit(await this.stage(staging), { keys: "[]" });
  }

  async known(...of: readonly string[]): Promise<KnownRecord[]> {
    return await this.#test.store.knownRecords({ ...name, keys: of });
  }

  /** The versions that are known, or why there is none. */
  async versions(...of: readonly string[]): Promise<unknown[]> {
    return (await this.known(...of)).map((one) =>
      one.state === "accepted" ? one.hash[0] : one.state,
    );
  }
}
