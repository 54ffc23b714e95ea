import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { onTestFinished } from "vitest";

import {
  hashBytes,
  isSent,
  type JudgedKeys,
  type KeysToStage,
  verdict,
} from "../../../src/state/contract/keys/fingerprints.ts";
import type { RunKind, RunOpening } from "../../../src/state/contract/runs/runs.ts";
import type { StageName } from "../../../src/state/contract/sends/stagings.ts";
import type { StateStore } from "../../../src/state/state-store.ts";
import { textBlockOf } from "../../../src/state/text-block.ts";
import { openPostgresInline } from "../../support/project/inline-postgres.ts";
import { openStoreInline } from "../../support/project/inline-threads.ts";

/**
 * Every implementation of the state store passes the contract. Its thread is covered by the tests of the port and of
 * every command.
 */
export const implementations = [
  { kind: "sqlite", open: (folder: string): Promise<StateStore> => openStoreInline(folder) },
  {
    kind: "postgres",
    open: (folder: string): Promise<StateStore> => openPostgresInline(folder),
  },
];

export const at = "2026-01-01T00:00:00.000Z";
export const nowMs = Date.parse(at);
export const name = { target: "sandbox main", sync: "accounts" };

/** A finished staging of ten records in two bodies. */
export const staged = {
  keys: JSON.stringify(Array.from({ length: 10 }, (_, n) => `k${n}`)),
  to: { offset: 100 },
  done: false,
  counts: { read: 10, records: 10, unchanged: 0, filtered: 0, rejected: 0 },
  jsonBytes: 1_000,
  gzipBytes: 200,
  jsonlSha256: "aa",
  gzipSha256: "bb",
  bodies: [
    { from: 0, to: 6, bytes: 600 },
    { from: 6, to: 10, bytes: 400 },
  ],
};

/** The common input of all calls of `StoreUnderTest.judge`. */
type Judged = Pick<KeysToStage, "send" | keyof StageName> & { readonly keys: readonly string[] };

/** A store in a folder of its own, with the steps that most tests begin with. */
export class StoreUnderTest {
  readonly folder: string;
  readonly store: StateStore;

  private constructor(folder: string, store: StateStore) {
    this.folder = folder;
    this.store = store;
  }

  /** A store that the caller closes. */
  static of(folder: string, store: StateStore): StoreUnderTest {
    return new StoreUnderTest(folder, store);
  }

  static async open(open: (folder: string) => Promise<StateStore>): Promise<StoreUnderTest> {
    const folder = await mkdtemp(join(tmpdir(), "sluice-state-"));
    const store = await open(folder);
    onTestFinished(async () => {
      await store.close();
      await rm(folder, { recursive: true });
    });
    return new StoreUnderTest(folder, store);
  }

  /** Judges keys of a staging in the given order, all with the same record. */
  async stageKeys({
    keys,
    ...more
  }: Judged & Partial<Omit<KeysToStage, keyof Judged>>): Promise<JudgedKeys> {
    return await this.store.stageKeys({
      ...name,
      keys: textBlockOf(keys),
      hashes: new Uint8Array(keys.length * hashBytes),
      rowNumbers: Uint32Array.from(keys, (_, index) => index + 1),
      full: false,
      rejectDuplicates: false,
      ...more,
    });
  }

  /** The verdicts of `stageKeys`; `verdict.new` for every record that is sent, whatever the reason. */
  async judge(input: Parameters<StoreUnderTest["stageKeys"]>[0]): Promise<number[]> {
    const { verdicts } = await this.stageKeys(input);
    return Array.from(verdicts, (one) => (isSent(one) ? verdict.new : one));
  }

  /** Accepts and commits a staging of a run. */
  async commit(
    { runId, chunk, stage }: StageName,
    finished: Partial<typeof staged> & { readonly mapping?: string | undefined } = {},
  ): Promise<void> {
    await this.store.finishStage({ runId, chunk, stage, ...staged, ...finished });
    await this.accept(runId, chunk, stage);
    await this.store.commitChunk({ runId, chunk, stage, at });
  }

  async openRun(
    runId: string,
    kind: RunKind = "sync",
    mapping?: RunOpening["mapping"],
  ): Promise<void> {
    const workflow = { workflowId: `wf-${runId}`, firstRunId: `first-${runId}`, kind };
    const opening = { temporalId: "t", configHash: "c", request: {}, startedAt: at };
    await this.store.openRun({ runId, ...name, ...workflow, ...opening, mapping });
    // A lock of its own for each: these tests are not about which run may send.
    await this.store.takeLock({ name: `lock of ${runId}`, runId, ...workflow, at });
    const { version: checkpointVersion } = await this.store.checkpoint(name);
    await this.store.setRunRange({ runId, checkpointVersion, from: null });
  }

  async stage(runId: string, chunk: number): Promise<{ stage: number; send: number }> {
    const drawn = await this.store.beginStaging({ runId, chunk, host: "h" });
    await this.store.finishStage({ runId, chunk, stage: drawn.stage, ...staged });
    return drawn;
  }

  /** Ends the attempt that holds a part. */
  async move(input: Omit<Parameters<StateStore["movePart"]>[0], "attempts">): Promise<void> {
    const { runId, chunk, stage, part } = input;
    const receipt = await this.store.receipt({ runId, chunk, stage, part });
    await this.store.movePart({ ...input, attempts: receipt?.attempts ?? 0 });
  }

  async accept(runId: string, chunk: number, stage: number): Promise<void> {
    const part = { runId, chunk, stage, part: 0, at };
    const file = { ...part, form: "file", host: "h" } as const;
    await this.store.beginPart(file);
    await this.move({ ...part, state: "uploaded", fileKey: "k" });
    await this.store.beginPart({ ...file, confirm: "k" });
    await this.move({ ...part, state: "accepted" });
  }
}
