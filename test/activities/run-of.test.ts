import { describe, expect, it } from "vitest";

import type { Dependencies } from "../../activities/dependencies.ts";
import type { RunRef } from "../../activities/inputs.ts";
import { failureOf } from "../support/project/harness.ts";
import { stagedRun, type Staged, type TestRun } from "../support/project/test-run.ts";

/** The end of every activity that reads, maps or sends, on a worker with these dependencies, given this reference. */
async function endsOf(
  { run, chunk }: { readonly run: TestRun; readonly chunk: Staged },
  changes: {
    readonly deps?: Partial<Dependencies>;
    readonly ref?: Partial<RunRef>;
    readonly words: string;
  },
): Promise<unknown[]> {
  const { harness } = run;
  const { words } = changes;
  const activities = harness.activitiesWith(changes.deps ?? {});
  const opened = { ...run.opened, ...changes.ref };
  const part = { ...run.part(chunk), ...changes.ref };
  const works = [
    harness.perform(activities.stageChunk, { ...opened, chunk: 2 }),
    harness.perform(activities.uploadFile, part),
    harness.perform(activities.uploadJson, part),
    harness.perform(activities.confirmUpload, { ...part, fileKey: "key" }),
    harness.perform(activities.splitChunk, { ...part, how: { without: [{ index: 0 }] } }),
    harness.perform(activities.chooseHost, opened),
  ];
  return await Promise.all(
    works.map(async (work) => {
      const { type, nonRetryable, message } = await failureOf(work);
      expect(message).toContain(words);
      return { type, nonRetryable };
    }),
  );
}

const everywhere = (type: string): unknown[] =>
  Array.from({ length: 6 }, () => ({ type, nonRetryable: true }));

/** The same `sluice.yaml` after someone changed the sync. */
function changedConfig({ config }: Dependencies): Pick<Dependencies, "config"> {
  const syncs = new Map(
    [...config.syncs].map(([name, sync]) => [name, { ...sync, configHash: "another" }]),
  );
  return { config: { ...config, syncs } };
}

describe("a worker that must not continue with a run", () => {
  it("has another service: sends nothing there, and the first worker continues where the run stood", async () => {
    const under = await stagedRun();
    const { run, chunk } = under;
    const target = "https://other.example main";
    const ends = await endsOf(under, { deps: { target }, words: `sends to ${target}` });
    expect(ends).toEqual(everywhere("ConfigError"));
    expect(await run.harness.sandbox.ledger()).toEqual([]);
    await run.send(chunk);
    await run.commit(chunk);
    expect(await run.close()).toMatchObject({ outcome: "done", balanced: true });
  });

  it("has another store: stops whatever it is given", async () => {
    const under = await stagedRun();
    const ref = { storeId: "another" };
    const ends = await endsOf(under, { ref, words: "state store another" });
    expect(ends).toEqual(everywhere("WrongStore"));
    const { run, chunk } = under;
    const { harness, opened } = run;
    const commit = { ...opened, ...chunk, storeId: "another" };
    expect(await failureOf(harness.perform(harness.activities.commitChunk, commit))).toMatchObject({
      type: "WrongStore",
      nonRetryable: true,
    });
  });

  it("has another configuration: maps and sends nothing more, and commits what was accepted", async () => {
    const under = await stagedRun();
    const { run, chunk } = under;
    const { harness, opened } = run;
    await run.send(chunk);
    const deps = changedConfig(harness.deps);
    const ends = await endsOf(under, { deps, words: "sync accounts" });
    expect(ends).toEqual(everywhere("ConfigChanged"));
    const { commitChunk } = harness.activitiesWith(deps);
    await harness.perform(commitChunk, { ...opened, ...chunk });
    expect(await run.close()).toMatchObject({ possibly_repeated: 0, counts: { sent: 5 } });
  });

  it("is a zombie's: an earlier holding of the send lock counts no more", async () => {
    const under = await stagedRun();
    const fence = under.run.opened.fence - 1;
    const ends = await endsOf(under, { ref: { fence }, words: "send lock" });
    expect(ends).toEqual(everywhere("Superseded"));
  });
});
