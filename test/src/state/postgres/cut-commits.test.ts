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

/** More than the messages that any of the methods sends to its server. */
const saidMax = 60;

async function open(server: StoreServer): Promise<StateStore> {
  const opened = await openPostgresMethods(server, { clock: "callers" });
  const answer = answerAtOnce(opened.methods, (error) => asStoreError(error, server, true));
  const store = answeredHere({ ...opened, answer }, runEffect);
  onTestFinished(async () => await store.close());
  return store;
}

/** A store over a connection that is cut, for the host cut off, and the same store for the host that continues. */
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

/** What two hosts do one after the other: the second repeats the attempt that the first does not finish. */
type Hosts = {
  /** The store of the host that does this step of an attempt. */
  readonly by: (step: Step) => StateStore;
  /** Runs an attempt, and repeats it on the other host if it was cut off. */
  readonly attempt: (work: (by: Hosts["by"], number: number) => Promise<void>) => Promise<void>;
  readonly next: StateStore;
};

const known = { commit: [2, 1, 2, 2], drop: ["unknown", 1, "unknown", "unknown"] };

/** Keys are known in one version; another version of some, and a new key, are sent, and committed or abandoned. */
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
    // As in an upload: a failed preparation is left to the commit.
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
  // The next run's judging finishes what this one left.
  await test.openRun(`last ${story}`);
  await kept.stage({ runId: `last ${story}`, version: 3, of: ["other"] });
  expect([story, await kept.versions(...keys)]).toEqual([story, known[end]]);
}

/** The steps of a chunk; for each kind of cut, the step that finds most comes first. */
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
    // Begin, check which store it is, do something, commit.
    expect(deaths).toBeGreaterThanOrEqual(4);
    expect(deaths).toBeLessThan(saidMax);
  },
);
