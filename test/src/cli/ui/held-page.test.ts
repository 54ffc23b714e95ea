import { expect, it } from "vitest";

import type { Told } from "../../../../src/cli/running/ask-temporal.ts";
import { heldPage } from "../../../../src/cli/ui/pages/held.ts";
import { runPage } from "../../../../src/cli/ui/pages/run.ts";
import type { Sight } from "../../../../src/cli/ui/sight.ts";
import { readEnvironment } from "../../../../src/config/environment.ts";
import type { Harness } from "../../../support/project/harness.ts";
import { heldNight, heldYaml } from "../../../support/project/held-night.ts";
import { examplePlan } from "../../../support/project/plan.ts";

function ignore(): void {}

/** What the pages look at, with Temporal's answer about the runs it is asked about. */
function sightOf(
  { deps, folder }: Harness,
  { says, asked }: { readonly says: Partial<Told>; readonly asked: string[] },
): Sight {
  const environment = readEnvironment({});
  return {
    ...deps,
    showsRows: false,
    context: { cwd: folder, environment, print: ignore, say: ignore, exit: ignore },
    whatTemporalSays: async ({ runs }) => {
      asked.push(...runs.map(({ runId }) => runId));
      const nothing = { runs: new Map(), elsewhere: new Set<string>(), schedules: new Map() };
      return await Promise.resolve({
        ...nothing,
        asked: new Set(asked),
        silent: undefined,
        ...says,
      });
    },
  };
}

/** The pages of a held run, to which Temporal answers this about the runs it is asked about. */
async function pagesOf(harness: Harness, says: Partial<Told>): Promise<[string, string]> {
  const asked: string[] = [];
  const sight = sightOf(harness, { says, asked });
  const pages = [await heldPage(sight), await runPage(sight, { run: "run-1" })] as const;
  expect(asked).toEqual(["run-1", "run-1"]);
  return [pages[0].main.text, pages[1].main.text.split("What can be done")[1] ?? ""];
}

const lost = { isWorkflowOpen: false, waiting: undefined };
const approve = "<code>sluice approve run-1</code>";

it("pages offer no approve of a held run whose workflow was ended from outside, and say so", async () => {
  const harness = await heldNight();
  for (const page of await pagesOf(harness, {})) expect(page).toContain(approve);
  for (const page of await pagesOf(harness, { runs: new Map([["run-1", lost]]) })) {
    expect(page).not.toContain(approve);
    expect(page).toContain("its workflow was ended from outside: nothing of it is sent");
    expect(page).toContain("<code>sluice run accounts</code>");
  }
  for (const page of await pagesOf(harness, { elsewhere: new Set(["run-1"]) })) {
    expect(page).not.toContain(approve);
    expect(page).toContain("it waits at another Temporal than the one that is used here");
  }
});

it("pages name the answer that is left of a held run whose sync has another name by now", async () => {
  const harness = await heldNight();
  const renamed = await harness.withYaml(heldYaml.replace("  accounts:\n", "  companies:\n"));
  const [held] = await pagesOf(renamed, { runs: new Map([["run-1", lost]]) });
  expect(held).toContain(
    "a worker that starts (restart the one that runs, or <code>sluice worker</code>)",
  );
  expect(held).not.toContain("sluice discard");
  expect(held).not.toContain("sluice run accounts");
});

it("the page of what waits names what answers the plan of a backfill, until something of it is staged", async () => {
  const harness = await heldNight();
  const { deps, state } = harness;
  const of = { sync: "accounts", target: deps.target, kind: "backfill", request: {} } as const;
  const ids = { runId: "b-1", workflowId: "w", firstRunId: "f", temporalId: "t" };
  const startedAt = new Date(state.now()).toISOString();
  await state.openRun({ ...ids, ...of, configHash: "c", startedAt });
  await state.putPlan({ runId: "b-1", plan: examplePlan, samples: [], spans: [] });
  const shown = async (): Promise<string> =>
    (await heldPage(sightOf(harness, { says: {}, asked: [] }))).main.text;
  const waiting = await shown();
  expect(waiting).toContain("<code>sluice backfill --follow b-1</code>");
  expect(waiting).toContain("<code>sluice cancel b-1</code>");
  expect(waiting).not.toContain("sluice approve b-1");
  expect(waiting).not.toContain("sluice discard b-1");
  const holder = { runId: "b-1", workflowId: "w", firstRunId: "f", kind: "backfill" };
  await state.takeLock({ name: "lock of b-1", ...holder, at: startedAt });
  await state.beginStaging({ runId: "b-1", chunk: 1, host: "h" });
  expect(await shown()).not.toContain("b-1");
});

it("the page of what waits says how many more there are than it shows", async () => {
  const harness = await heldNight();
  const { state, target } = harness.deps;
  const startedAt = new Date(state.now()).toISOString();
  const shown = async (): Promise<string> =>
    (await heldPage(sightOf(harness, { says: {}, asked: [] }))).main.text;
  const planned = async (from: number, to: number): Promise<void> => {
    for (let n = from; n <= to; n++) {
      const runId = `b-${n}`;
      const ids = { runId, workflowId: "w", firstRunId: "f", temporalId: "t" };
      const of = { sync: "accounts", target, kind: "backfill", request: {} } as const;
      await state.openRun({ ...ids, ...of, configHash: "c", startedAt });
      // Half of them are still being planned.
      if (n % 2 === 0) await state.putPlan({ runId, plan: examplePlan, samples: [], spans: [] });
    }
  };
  await planned(1, 39);
  expect(await shown()).not.toContain("sluice status");
  await planned(40, 44);
  expect(await shown()).toContain("And 3 more: <code>sluice status</code>");
});
