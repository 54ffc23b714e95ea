import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { onTestFinished } from "vitest";

import { sources, sourcesOf } from "../../../../connectors/registry.ts";
import { connectorOf } from "../../../../connectors/source.ts";
import { syncNamed } from "../../../../src/cli/named.ts";
import { explainText } from "../../../../src/cli/run/explain-text.ts";
import { explain } from "../../../../src/cli/run/explained.ts";
import type { Config } from "../../../../src/config/config.ts";
import { loadConfig } from "../../../../src/config/load.ts";
import { FieldHasher } from "../../../../src/pipeline/fields/field-hashes.ts";
import { blockOfLine } from "../../../../src/pipeline/fields/field-program.ts";
import { hashOf } from "../../../../src/pipeline/line-hashes.ts";
import { isSent } from "../../../../src/state/contract/keys/fingerprints.ts";
import type { RunKind, RunRequest } from "../../../../src/state/contract/runs/runs.ts";
import type { StateStore } from "../../../../src/state/state-store.ts";
import { textBlockOf } from "../../../../src/state/text-block.ts";
import { temporaryFolder } from "../../../support/process/temporary-folder.ts";
import { at, staged } from "../../state/store-under-test.ts";

const yaml = `version: 1
api: { base_url: sandbox, api_key: none }
connections:
  exports: { connector: csv, path: accounts.csv }
  scored: { connector: csv, path: scores.csv }
  written: { connector: csv, path: other.csv }
  forms: { connector: webhook, path: /hooks/forms, signature: none, allow_unsigned: true }
syncs:
  accounts:
    from: exports
    stream: account
    record: &record { account_id: id, domain: domain, account_properties: { name: name } }
  scored: { from: scored, stream: account, record: *record }
  forms: { from: forms, stream: account, record: *record }
pulls:
  scores:
    accounts: {}
    write_back:
      { connection: written, file: ./scores.csv, insert: false, key: { id: mk_id }, set: { fit: name } }
`;

const files = {
  "accounts.csv": "id,domain,name\nk,k.example,K\nbad,,B\n",
  "scores.csv": "id,domain,name,fit\nk,k.example,K,9\n",
  "other.csv": "id\n",
};

/** The line of the record that the row of `k` becomes if it has this name. */
export const lineOf = (name: string): Buffer =>
  Buffer.from(
    `{"type":"account","account_id":"k","domain":"k.example","account_properties":{"name":"${name}"}}`,
  );

/** In memory of their own, which can be transferred to the store. */
export const hashesOf = (lines: readonly Buffer[]): Uint8Array =>
  new Uint8Array(Buffer.concat(lines.map(hashOf)));

/** What a run of a story does. */
type Story = {
  readonly kind?: RunKind;
  readonly sync?: string;
  readonly request?: RunRequest;
  /** The name in the record that it stages. @default none */
  readonly name?: string;
  /** Its key. @default k */
  readonly of?: string;
  /** How often it stages it. @default once */
  readonly times?: number;
  /** The key that it rejects. @default none */
  readonly rejects?: string;
  /** The places whose rejects it finds to be superseded. @default none */
  readonly supersedes?: readonly string[];
  /** Whether it reads all of its source. @default false */
  readonly readsAll?: boolean;
  /** How many records it stages. @default ten */
  readonly records?: number;
  /** How far it gets. @default to its end */
  readonly until?: "sent" | "staged";
};

/** A store with what runs of one record left there, written by its own methods, and the project that queries it. */
export class ExplainStory {
  readonly config: Config;
  readonly store: StateStore;

  private constructor(config: Config, store: StateStore) {
    this.config = config;
    this.store = store;
  }

  static async open(openStore: (folder: string) => Promise<StateStore>): Promise<ExplainStory> {
    const folder = await temporaryFolder();
    for (const [file, text] of Object.entries({ ...files, "sluice.yaml": yaml })) {
      await writeFile(join(folder, file), text);
    }
    const config = await loadConfig({ cwd: folder, env: {}, connectors: sources });
    const store = await openStore(config.stateFolder);
    onTestFinished(async () => await store.close());
    return new ExplainStory(config, store);
  }

  async #keep(
    ref: { runId: string; chunk: number; stage: number; send: number },
    of: Pick<Required<Story>, "name" | "of" | "sync" | "times">,
  ): Promise<void> {
    const { store } = this;
    const set = { target: "sandbox", sync: of.sync };
    const lines = Array.from({ length: of.times }, () => lineOf(of.name));
    const { leaving: ids, verdicts } = await store.stageKeys({
      ...set,
      ...ref,
      keys: textBlockOf(lines.map(() => of.of)),
      hashes: hashesOf(lines),
      rowNumbers: Uint32Array.from(lines.keys()),
      full: false,
      rejectDuplicates: false,
    });
    const hasher = new FieldHasher(
      "account",
      async (names) => await store.fieldSlots({ ...set, names }),
    );
    const fields = await hasher.hash(lines.map(blockOfLine));
    await store.keepFields({ ...set, ...ref, ids, verdicts: verdicts.filter(isSent), ...fields });
  }

  async run(runId: string, story: Story = {}): Promise<void> {
    const { store } = this;
    const { kind = "sync", sync = "accounts", request = {} } = story;
    const { name, of = "k", times = 1, rejects, until, records = staged.counts.records } = story;
    const workflow = { workflowId: runId, firstRunId: runId, kind };
    const opening = { temporalId: "t", configHash: "c", request, startedAt: at };
    await store.openRun({ runId, target: "sandbox", sync, ...workflow, ...opening });
    await store.takeLock({ name: `lock of ${runId}`, runId, ...workflow, at });
    const { version: checkpointVersion } = await store.checkpoint({ target: "sandbox", sync });
    await store.setRunRange({ runId, checkpointVersion, from: null });
    if (request.replay !== undefined) await store.listReplay({ runId, ...request.replay });
    const { stage, send } = await store.beginStaging({ runId, chunk: 1, host: "h" });
    const ref = { runId, chunk: 1, stage };
    if (name !== undefined) await this.#keep({ ...ref, send }, { sync, name, of, times });
    if (rejects !== undefined) {
      const reject = { stream: "account", place: "accounts.csv:3", step: "map" } as const;
      const why = { code: "required", field: "domain", reason: "is required, and empty" };
      await store.addRejects({ ...ref, rejects: [{ ...reject, ...why, key: rejects }], at });
    }
    const to = kind === "replay" ? 1 : staged.to;
    const counts = { ...staged.counts, read: records, records };
    await store.supersedeRejects({ ...ref, places: story.supersedes ?? [] });
    await store.finishStage({ ...ref, ...staged, counts, to, keys: '["k"]' });
    if (until === "staged") return;
    const part = { ...ref, part: 0, at };
    const file = { ...part, form: "file", host: "h" } as const;
    const attempts = async (): Promise<number> => (await store.receipt(part))?.attempts ?? 0;
    await store.beginPart(file);
    await store.movePart({
      ...part,
      state: "uploaded",
      fileKey: "f-1",
      attempts: await attempts(),
    });
    await store.beginPart({ ...file, confirm: "f-1" });
    if (until === "sent") return;
    await store.movePart({ ...part, state: "accepted", attempts: await attempts() });
    await store.commitChunk({ ...ref, at });
    if (story.readsAll === true) await store.keepReading({ runId, at });
    await store.endRun({ runId, outcome: "done", endedAt: at });
  }

  /** The explanation, with `T` for every time, in lines that are short enough for a test. */
  async told(
    sync = "accounts",
    { name = "k", scans = true }: { readonly name?: string; readonly scans?: boolean } = {},
  ): Promise<string> {
    const { config, store } = this;
    const of = syncNamed(config, sync);
    const source = connectorOf({ sources: sourcesOf(config) }, of.connector);
    const explained = await explain({ config, sync: of, source, name, scans }, store);
    return explainText(explained, of).replaceAll(at, "T").replaceAll("; ", ";\n    ");
  }
}
