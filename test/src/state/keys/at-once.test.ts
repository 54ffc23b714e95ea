import { setTimeout as sleep } from "node:timers/promises";

import { sql } from "kysely";
import { beforeEach, describe, expect, it, vi } from "vitest";

import { firstChunkOf } from "../../../../src/lane-of.ts";
import { isSent, verdict } from "../../../../src/state/contract/keys/fingerprints.ts";
import { openPostgresDatabase } from "../../../../src/state/postgres/database.ts";
import { foldAllSets } from "../../../../src/state/postgres/keys/sightings.ts";
import { runSql } from "../../../support/postgres/postgres-cluster.ts";
import { openPostgresInline, schemaOf } from "../../../support/project/inline-postgres.ts";
import { examplePlan } from "../../../support/project/plan.ts";
import { numbers } from "../../../support/sequences.ts";
import { at, name, StoreUnderTest } from "../store-under-test.ts";
import { VersionedKeys } from "../store/versioned-keys.ts";

const lanes = [1, 2, 3, 4];
const keys = numbers(300).map((number) => `k${number}`);

type Drawn = { readonly runId: string; readonly chunk: number; readonly stage: number };

describe("lanes of several processes that stage at once in Postgres", () => {
  let processes: readonly StoreUnderTest[];

  beforeEach(async () => {
    const first = await StoreUnderTest.open(openPostgresInline);
    const others = lanes.slice(1).map(async () => {
      return await StoreUnderTest.open(async () => await openPostgresInline(first.folder));
    });
    processes = [first, ...(await Promise.all(others))];
    await first.openRun("r1", "backfill");
    const spans = lanes.map(() => ({ from: null, to: null }));
    await first.store.putPlan({ runId: "r1", plan: examplePlan, samples: [], spans });
  });

  /** Makes each lane stage its keys, in a process of its own. */
  const stageAll = async (
    keysOf: (lane: number) => readonly string[],
    rejectDuplicates: boolean,
  ): Promise<{ ref: Drawn; verdicts: readonly number[]; leaving: readonly number[] }[]> => {
    const drawn = [];
    for (const lane of lanes) {
      const chunk = firstChunkOf(lane);
      const test = processes[lane - 1] ?? processes[0];
      const begun = await test?.store.beginStaging({ runId: "r1", chunk, host: "h" });
      drawn.push({
        lane,
        test,
        ref: { runId: "r1", chunk, stage: begun?.stage ?? 0 },
        send: begun?.send ?? 0,
      });
    }
    return await Promise.all(
      drawn.map(async ({ lane, test, ref, send }) => {
        const call = { ...ref, send, keys: keysOf(lane), rejectDuplicates };
        const judged = await test?.stageKeys(call);
        return {
          ref,
          verdicts: [...(judged?.verdicts ?? [])],
          leaving: [...(judged?.leaving ?? [])],
        };
      }),
    );
  };

  /** Makes a process stage one more key. */
  const again = async (index: number, ref: Drawn | undefined, key: string): Promise<unknown> => {
    const drawn = { runId: "r1", chunk: 0, stage: 0, ...ref };
    const { send = 0 } = (await processes[index]?.store.staging(drawn)) ?? {};
    return await processes[index]?.judge({ ...drawn, send, keys: [key], rejectDuplicates: true });
  };

  it("give each new key an id of its own", async () => {
    const judged = await stageAll((lane) => keys.map((key) => `${key} of ${lane}`), true);
    const ids = judged.flatMap(({ leaving }) => leaving);
    expect(new Set(ids).size).toBe(lanes.length * keys.length);
  });

  it("send a key once, where a second row of a key is rejected", async () => {
    const judged = await stageAll(() => keys, true);
    const sent = judged.flatMap(({ verdicts }) => verdicts.filter(isSent));
    expect(sent).toHaveLength(keys.length);
  });

  it("see what another of them staged", async () => {
    const [first, second] = await stageAll((lane) => (lane === 1 ? ["a"] : [`of ${lane}`]), true);
    expect(await again(1, second?.ref, "a")).toEqual([verdict.duplicate]);
    expect(await again(0, first?.ref, "b")).toEqual([verdict.new]);
    expect(await again(1, second?.ref, "b")).toEqual([verdict.duplicate]);
  });

  it("keep nobody else of their process waiting while the set is locked", async () => {
    const [owner, second] = processes;
    const [one] = await stageAll((lane) => [`of ${lane}`], false);
    const locking = openPostgresDatabase(await schemaOf(owner?.folder ?? ""));
    const locked = Promise.withResolvers<void>();
    const free = Promise.withResolvers<void>();
    const holding = locking.lockAndWrite(async (queries) => {
      await queries.selectFrom("fingerprintSets").select("id").forUpdate().execute();
      locked.resolve();
      await free.promise;
    });
    await locked.promise;
    const waiting = keys.slice(0, 6).map(async (key) => await again(1, one?.ref, key));
    const asking = async (): Promise<string> => {
      for (const _ of numbers(100)) await second?.store.run("r1");
      return "answered";
    };
    const became = await Promise.race([asking(), sleep(3_000, "waits")]);
    free.resolve();
    await Promise.all([holding, ...waiting]);
    await locking.close();
    expect(became).toBe("answered");
  });

  it("leave a key unknown that several of them send, in whatever order they are committed", async () => {
    const judged = await stageAll((lane) => [...keys, `own of ${lane}`], false);
    await Promise.all(
      judged.map(async ({ ref }, index) => await processes[index]?.commit(ref, { keys: "[]" })),
    );
    const asked = [...keys, ...lanes.map((lane) => `own of ${lane}`)];
    const known = await processes[0]?.store.knownRecords({ ...name, keys: asked });
    const states = known?.map(({ state }) => state);
    expect(states).toEqual([...keys.map(() => "unknown"), ...lanes.map(() => "accepted")]);
  });
});

it("what a run saw stays while a copy, begun before it, folds what others saw in Postgres", async () => {
  const test = await StoreUnderTest.open(openPostgresInline);
  const server = await schemaOf(test.folder);
  const query = async (text: string) =>
    await runSql(server.url.reveal(), `set search_path to ${server.schema}; ${text}`);
  const isWaiting = async (event: string): Promise<boolean> =>
    (
      await query(
        `select from pg_stat_activity where wait_event = '${event}' and datname = current_database()`,
      )
    ).length > 0;
  const waitsFor = async (event: string): Promise<boolean> =>
    await vi.waitUntil(async () => await isWaiting(event), { interval: 10, timeout: 30_000 });
  await new VersionedKeys(test).run({ runId: "r1", version: 1 });
  await test.store.endRun({ runId: "r1", outcome: "done", endedAt: at });
  await query(
    `create function halt() returns trigger language plpgsql as $$
       begin perform pg_advisory_xact_lock_shared(7); return new; end $$;
     create trigger halt before insert on sighted_blocks for each row execute function halt()`,
  );
  const [halting, copying] = [openPostgresDatabase(server), openPostgresDatabase(server)];
  const halted = Promise.withResolvers<void>();
  const free = Promise.withResolvers<void>();
  const holding = halting.lockAndWrite(async (queries) => {
    await sql`select pg_advisory_xact_lock(7)`.execute(queries);
    halted.resolve();
    await free.promise;
  });
  await halted.promise;
  const folding = foldAllSets(copying);
  await waitsFor("advisory");
  await test.openRun("r2");
  const { stage, send } = await test.store.beginStaging({ runId: "r2", chunk: 1, host: "h" });
  const call = { runId: "r2", chunk: 1, stage, send, keys: ["a"] };
  const staging = test.judge(call);
  await Promise.race([staging, waitsFor("transactionid")]);
  free.resolve();
  await Promise.all([holding, folding, staging]);
  await Promise.all([halting.close(), copying.close()]);
  expect(await test.judge({ ...call, rejectDuplicates: true })).toEqual([verdict.duplicate]);
});
