import { expect, it, onTestFinished } from "vitest";

import { runEffect } from "../../../../src/effect.ts";
import { Secret } from "../../../../src/security/secret.ts";
import { hashBytes } from "../../../../src/state/contract/keys/fingerprints.ts";
import type { StageName } from "../../../../src/state/contract/sends/stagings.ts";
import { openPostgresMethods } from "../../../../src/state/postgres/open-methods.ts";
import type { StoreServer } from "../../../../src/state/postgres/server.ts";
import { asStoreError } from "../../../../src/state/postgres/store-error.ts";
import type { StateStore } from "../../../../src/state/state-store.ts";
import { answerAtOnce } from "../../../../src/thread.ts";
import { type Cut, type CutWay, cutWayTo } from "../../../support/postgres/cut-way.ts";
import { temporaryFolder } from "../../../support/process/temporary-folder.ts";
import { schemaOf } from "../../../support/project/inline-postgres.ts";
import { answeredHere } from "../../../support/project/inline-threads.ts";
import { numbers } from "../../../support/sequences.ts";
import { someOf } from "../../../support/trials.ts";
import { at, staged, StoreUnderTest } from "../store-under-test.ts";
import { VersionedKeys } from "../store/versioned-keys.ts";

/** More than any of the methods says to its server. */
const saidMax = 60;

async function open(server: StoreServer): Promise<StateStore> {
  const opened = await openPostgresMethods(server, { clock: "callers" });
  const answer = answerAtOnce(opened.methods, (error) => asStoreError(error, server, true));
  const store = answeredHere({ ...opened, answer }, runEffect);
  onTestFinished(async () => await store.close());
  return store;
}

/** A store over a way that is cut, as a host that is cut off has it, and the same as the host has it that goes on. */
async function twoOfOne(): Promise<{ dying: StateStore; next: StateStore; way: CutWay }> {
  const server = await schemaOf(await temporaryFolder());
  const way = await cutWayTo(server.url.reveal());
  return {
    dying: await open({ ...server, url: new Secret(way.url) }),
    next: await open(server),
    way,
  };
}

type Step = "accept" | "begin" | "commit" | "drop" | "finish" | "judge" | "leave" | "prepare";

/** What two hosts do one after the other: the second one begins the attempt anew that the first one does not end. */
type Hosts = {
  /** The store as the host has it that does this step of an attempt. */
  readonly by: (step: Step) => StateStore;
  /** Runs an attempt, and once more at the other host where it was cut off. */
  readonly attempt: (work: (by: Hosts["by"], number: number) => Promise<void>) => Promise<void>;
  readonly next: StateStore;
};

const known = { commit: [2, 1, 2, 2], drop: ["unknown", 1, "unknown", "unknown"] };

/** Keys are known of one version; another is sent of some of them, and of a new one, and committed or given up. */
async function tell(
  { attempt, next }: Hosts,
  { story, end }: { readonly story: string; readonly end: "commit" | "drop" },
): Promise<void> {
  const test = StoreUnderTest.of("", next);
  const kept = new VersionedKeys(test);
  const keys = ["a", "b", "c", "d"].map((key) => `${story} ${key}`);
  await kept.run({ runId: `first ${story}`, version: 1, of: keys.slice(0, 3) });
  const runId = `later ${story}`;
  await test.openRun(runId);
  let ref: StageName = { runId, chunk: 1, stage: 0 };
  await attempt(async (by, number) => {
    const begun = { runId, chunk: 1, host: "h", by: { scheduledMs: 1, number } };
    const { stage, send } = await by("begin").beginStaging(begun);
    ref = { runId, chunk: 1, stage };
    await StoreUnderTest.of("", by("judge")).stageKeys({
      ...ref,
      send,
      keys: keys.filter((_, index) => index !== 1),
      hashes: new Uint8Array(3 * hashBytes).fill(2),
    });
    await by("finish").finishStage({ ...ref, ...staged, keys: "[]" });
  });
  const part = { ...ref, part: 0, at };
  const file = { ...part, form: "file", host: "h" } as const;
  await attempt(async (by) => {
    await by("leave").beginPart(file);
    // As an upload has it: what cannot be prepared is left to the commit.
    await by("prepare")
      .prepareCommit(ref)
      .catch(() => undefined);
    await test.move({ ...part, state: "uploaded", fileKey: "k" });
  });
  await next.beginPart({ ...file, confirm: "k" });
  await test.move({ ...part, state: "accepted" });
  await attempt(async (by) => {
    if (end === "commit") await by("commit").commitChunk({ ...ref, at });
    else await by("drop").dropStagings({ runId });
  });
  expect([story, await kept.versions(...keys)]).toEqual([story, known[end]]);
  // What the next run judges comes to an end with what this one left.
  await test.openRun(`last ${story}`);
  await kept.stage({ runId: `last ${story}`, version: 3, of: ["other"] });
  expect([story, await kept.versions(...keys)]).toEqual([story, known[end]]);
}

/** The steps of a chunk; of each way to be cut off the one first that finds most. */
const stepsOf = {
  "not arrived": (end) => [end, "prepare", "begin", "judge", "finish", "leave"],
  "answer lost": (end) => ["prepare", end, "begin", "judge", "finish", "leave"],
} as const satisfies Record<Cut, (end: "commit" | "drop") => readonly Step[]>;

const ways = (["not arrived", "answer lost"] satisfies Cut[]).flatMap((where) =>
  (["commit", "drop"] as const).flatMap((end) =>
    stepsOf[where](end).map((step) => [step, end, where] as const),
  ),
);

it.each(someOf(ways, 12))(
  "a host that is cut off in %s of a chunk has it neither half known nor forgotten once another one ends it: %s, %s",
  async (step, end, where) => {
    const { dying, next, way } = await twoOfOne();
    let deaths = 0;
    for (const word of numbers(saidMax)) {
      let isCut: (() => boolean) | undefined;
      const by: Hosts["by"] = (each) => {
        if (each !== step) return next;
        isCut = way.cutAt(word + 1, where);
        return dying;
      };
      const attempt: Hosts["attempt"] = async (work) => {
        await work(by, 1).catch(async (error: unknown) => {
          if (isCut?.() !== true) throw error;
          await work(() => next, 2);
        });
      };
      await tell({ by, attempt, next }, { story: String(word), end });
      if (isCut?.() !== true) break;
      deaths += 1;
    }
    way.cutAt(Infinity, where);
    // To begin, to look which store it is, to do something, to commit.
    expect(deaths).toBeGreaterThanOrEqual(4);
    expect(deaths).toBeLessThan(saidMax);
  },
);
