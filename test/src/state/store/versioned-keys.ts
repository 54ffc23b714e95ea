import { hashBytes, isSent } from "../../../../src/state/contract/keys/fingerprints.ts";
import type { KnownRecord } from "../../../../src/state/contract/keys/known-records.ts";
import type { StageName } from "../../../../src/state/contract/sends/stagings.ts";
import { name, type StoreUnderTest } from "../store-under-test.ts";

/** Keys that a run stages: each with the record of a version, and optionally with one field. */
type VersionedStaging = {
  readonly runId: string;
  /** @default 1 */
  readonly chunk?: number;
  readonly version: number;
  /** @default "a" and "b" */
  readonly of?: readonly string[];
  readonly field?: number;
};

/** Keys, and the version of their records. */
type VersionedRecords = {
  readonly version: number;
  readonly of: readonly string[];
  readonly field?: number | undefined;
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
    of = ["a", "b"],
    ...record
  }: VersionedStaging): Promise<StageName> {
    const { stage, send } = await this.#test.store.beginStaging({ runId, chunk, host: "h" });
    const ref = { runId, chunk, stage };
    await this.stageOn({ ...ref, send }, { ...record, of });
    return ref;
  }

  /** Stages further keys in a staging that has begun. */
  async stageOn(
    { send, ...ref }: StageName & { readonly send: number },
    { version, of, field }: VersionedRecords,
  ): Promise<void> {
    const { leaving: ids, verdicts } = await this.#test.stageKeys({
      ...ref,
      send,
      keys: of,
      hashes: new Uint8Array(of.length * hashBytes).fill(version),
    });
    if (field === undefined) return;
    const fields = Uint32Array.from(ids, () => field);
    await this.#test.store.keepFields({
      ...name,
      ...ref,
      ids,
      verdicts: verdicts.filter(isSent),
      fieldBytes: Uint32Array.BYTES_PER_ELEMENT,
      hashes: new Uint8Array(fields.buffer),
    });
  }

  /** A run that sends keys of one version. */
  async run(staging: VersionedStaging): Promise<void> {
    await this.#test.openRun(staging.runId);
    await this.#test.commit(await this.stage(staging), { keys: "[]" });
  }

  async known(...of: readonly string[]): Promise<KnownRecord[]> {
    return await this.#test.store.knownRecords({ ...name, keys: of });
  }

  /** The known versions, or why there is none. */
  async versions(...of: readonly string[]): Promise<unknown[]> {
    return (await this.known(...of)).map((one) =>
      one.state === "accepted" ? one.hash[0] : one.state,
    );
  }
}
