import { existsSync } from "node:fs";
import { join } from "node:path";

import { afterEach, expect, it, vi } from "vitest";

import type { Dependencies } from "../../../activities/dependencies.ts";
import type { Source } from "../../../connectors/contract/connector.ts";
import type { StateStore } from "../../../src/state/state-store.ts";
import { postgres, type TestDatabase } from "../../support/postgres/postgres.ts";
import { failureOf, type Harness } from "../../support/project/harness.ts";
import { accountsFound, openPullHarness, pullYaml } from "../../support/project/pull-project.ts";
import { PullRun } from "../../support/project/pull-run.ts";

afterEach(() => void vi.restoreAllMocks());

type Sleep = {
  readonly method: "isPageKept" | "keepPage" | "pullTally";
  /** @default 1 */
  readonly call?: number;
  readonly ms: number;
};

/** Dependencies of a host that sleeps for so long after the store answered such a call. */
function sleepingAfter(
  { deps }: Harness,
  { method, call = 1, ms }: Sleep,
): Pick<Dependencies, "state"> {
  const now = Date.now.bind(Date);
  let calls = 0;
  const get = (state: StateStore, name: string): unknown => {
    const called: unknown = Reflect.get(state, name);
    if (name !== method || typeof called !== "function") return called;
    return async (...input: unknown[]): Promise<unknown> => {
      const answer: unknown = await Reflect.apply(called, state, input);
      calls += 1;
      if (calls === call) vi.spyOn(Date, "now").mockImplementation(() => now() + ms);
      return answer;
    };
  };
  return { state: new Proxy(deps.state, { get }) };
}

function intoScores(pull: string): string {
  return `  ${pull}:
    accounts: {}
    page_size: 10
    write_back: { connection: crm, table: scores, key: { mk_id: mk_id }, set: { name: name } }
`;
}

const ratings = { pull: "ratings", runId: "run-2" } as const;

/**
 * Two pulls into one table, and a run of the first; its first attempt to write a page waits for the connection until
 * `meanwhile` is over.
 */
async function connectingSlowly(
  meanwhile: (run: PullRun, look: () => Promise<void>) => Promise<unknown>,
): Promise<{ readonly run: PullRun; readonly database: TestDatabase }> {
  const database = await postgres();
  await database.query("create table scores (mk_id text primary key, name text)");
  const [head = ""] = pullYaml().split("connections:");
  const opened = await openPullHarness();
  const real = opened.deps.sources.get("postgres");
  if (real?.write === undefined) throw new Error("there is no connector to Postgres");
  let run: PullRun | undefined;
  const slow: Source = {
    ...real,
    write: async (request) => {
      const waiting = run;
      run = undefined;
      const look = async (): Promise<void> => await request.beforeWrite?.();
      if (waiting !== undefined) await meanwhile(waiting, look);
      return (await real.write?.(request)) ?? [];
    },
  };
  const harness = await opened.with({ sources: new Map([["postgres", slow]]) })
    .withYaml(`${head}connections:
  crm: { connector: postgres, url: "${database.url}" }
syncs: {}
pulls:
${["scores", "ratings"].map(intoScores).join("")}`);
  run = await PullRun.open(harness);
  return { run, database };
}

it("writes no page into a table to which it was not let until another attempt had gone on", async () => {
  const { run, database } = await connectingSlowly(async (waiting) => {
    await waiting.pull();
    await database.query("update scores set name = 'newer'");
  });
  expect(await failureOf(run.pull())).toMatchObject({ type: "Unavailable", nonRetryable: false });
  const names = await database.query("select distinct name from scores");
  expect(names).toEqual([{ name: "newer" }]);
  expect((await run.finish()).pull).toMatchObject({ written: accountsFound, calls: 4 });
});

it.each(["before", "after"])(
  "writes no page into a table to which another pull, opened %s it came, wrote newer values",
  async (order) => {
    let other: PullRun | undefined;
    const { run, database } = await connectingSlowly(async ({ harness }) => {
      other ??= await PullRun.open(harness, ratings);
      await other.finish();
      await database.query("update scores set name = 'newer'");
    });
    if (order === "before") other = await PullRun.open(run.harness, ratings);
    expect(await failureOf(run.pull())).toMatchObject({ type: "Unavailable", nonRetryable: false });
    const names = await database.query("select distinct name from scores");
    expect(names).toEqual([{ name: "newer" }]);
    const { pull } = await run.finish();
    expect(pull).toMatchObject({ written: accountsFound, calls: 5, possibly_paid_twice: 1 });
  },
);

it("looks again whether a page is to be written once a second has passed", async () => {
  const now = Date.now.bind(Date);
  const { run, database } = await connectingSlowly(async ({ harness }, look) => {
    await look();
    await (await PullRun.open(harness, ratings)).finish();
    await database.query("update scores set name = 'newer'");
    vi.spyOn(Date, "now").mockImplementation(() => now() + 1_001);
  });
  expect((await failureOf(run.pull())).message).toContain("another pull fetched newer values");
  const names = await database.query("select distinct name from scores");
  expect(names).toEqual([{ name: "newer" }]);
});

it("looks once for the many statements of a page of which half the rows are refused", async () => {
  const { run, database } = await connectingSlowly(async () => undefined);
  await database.query("alter table scores add check (get_byte(md5(mk_id)::bytea, 0) % 2 = 0)");
  const look = vi.spyOn(run.harness.state, "isPageKept");
  await run.pull();
  expect((await run.rejects()).length).toBeGreaterThan(2);
  expect([1, 2]).toContain(look.mock.calls.length);
});

it("writes no page into a table when it slept after it had looked whether it may", async () => {
  const { run, database } = await connectingSlowly(async () => undefined);
  const sleeping = sleepingAfter(run.harness, { method: "isPageKept", ms: 29_000 });
  const failure = await failureOf(run.pull(1, run.harness.activitiesWith(sleeping)));
  vi.restoreAllMocks();
  expect(failure.message).toContain("29 s passed since");
  expect(await database.query("select name from scores")).toEqual([]);
});

// Temporal starts another attempt when it has heard nothing for the timeout: its last news may be seconds older than
// the look at the pull's place.
it.each([
  { timeout: "30s", seconds: 3_600 },
  { timeout: "30s", seconds: 29 },
  { timeout: "4s", seconds: 3 },
])("a host that slept writes no page: $seconds s of $timeout", async ({ timeout, seconds }) => {
  const opened = await openPullHarness();
  const yaml = `${pullYaml()}advanced: { heartbeat_timeout: ${timeout} }\n`;
  const harness = await opened.withYaml(yaml);
  const run = await PullRun.open(harness);
  // The second attempt finds the page that the first one kept.
  for (const method of ["keepPage", "pullTally"] as const) {
    const sleeping = sleepingAfter(harness, { method, ms: seconds * 1_000 });
    const failure = await failureOf(run.pull(1, harness.activitiesWith(sleeping)));
    vi.restoreAllMocks();
    expect(failure).toMatchObject({ type: "Unavailable", nonRetryable: false });
    expect(failure.message).toContain(`${seconds} s passed since`);
    expect(existsSync(join(harness.folder, "scores.csv"))).toBe(false);
  }
  const { pull } = await run.finish();
  expect(pull).toMatchObject({ written: accountsFound, calls: 4, possibly_paid_twice: 0 });
});
