import { describe, expect, it } from "vitest";

import { registerRuns } from "../../../../src/cli/run/runs.ts";
import type { Told } from "../../../../src/cli/running/ask-temporal.ts";
import { leftHoldJson } from "../../../../src/cli/status/left-holds.ts";
import { lookAtProject, type ProjectStatus } from "../../../../src/cli/status/look.ts";
import { remarkLines } from "../../../../src/cli/status/text.ts";
import { readEnvironment } from "../../../../src/config/environment.ts";
import type { Harness } from "../../../support/project/harness.ts";
import { heldNight, heldYaml } from "../../../support/project/held-night.ts";
import { runVerb } from "../../../support/project/run-verb.ts";
import { openUi } from "../../../support/ui/open-ui.ts";

function ignore(): void {}

/** The status of a project, and what Temporal says of its runs. */
async function statusOf(
  { deps, folder }: Harness,
  runs: Told["runs"] = new Map(),
): Promise<ProjectStatus> {
  return await lookAtProject({
    ...deps,
    context: {
      cwd: folder,
      environment: readEnvironment({}),
      print: ignore,
      say: ignore,
      exit: ignore,
    },
    whatTemporalSays: async () => ({
      runs,
      elsewhere: new Set<string>(),
      asked: new Set<string>(),
      schedules: new Map(),
      silent: undefined,
    }),
  });
}

const renamed = heldYaml.replace("  accounts:\n", "  companies:\n");
const elsewhere = heldYaml.replace("api:\n", "api:\n  account: another\n");

describe("a run that is held", () => {
  it("is told with its sync alone while that is configured as it was", async () => {
    const { transfers, holds } = await statusOf(await heldNight());
    expect(holds).toEqual([]);
    expect(transfers[0]?.problem).toMatchObject({
      text: expect.stringMatching(/^held since .* UTC: new_above 3: 5 new;/) as unknown,
      hint: "`sluice runs show run-1`, then `sluice approve run-1` or `sluice discard run-1`",
    });
  });

  it("is not said to be approved where its sync was edited meanwhile", async () => {
    const harness = await heldNight();
    const edited = heldYaml.replace("{ name: name }", "{ title: name }");
    const { transfers, holds } = await statusOf(await harness.withYaml(edited));
    expect(holds).toEqual([]);
    expect(transfers[0]?.problem).toMatchObject({
      text: expect.stringContaining("sync accounts changed since it was staged") as unknown,
      hint:
        "`sluice runs show run-1`, then `sluice discard run-1`, then `sluice run accounts` with what is configured " +
        "now",
    });
  });

  it("is said to be noted by a worker where its sync has another name by now and its workflow is gone", async () => {
    const harness = await (await heldNight()).withYaml(renamed);
    const gone = { isWorkflowOpen: false, waiting: undefined };
    const [line] = remarkLines(await statusOf(harness, new Map([["run-1", gone]])));
    expect(line).toContain("its workflow was ended from outside: nothing of it is sent → ");
    expect(line).toMatch(
      /then a worker that starts \(restart the one that runs, or `sluice worker`\) notes/,
    );
    expect(line).not.toContain("discard");
  });

  it("is not said to be approved by `runs show` where it is at a Temporal that is gone", async () => {
    const harness = await heldNight();
    const { out } = await runVerb(registerRuns, harness, ["runs", "show", "run-1"]);
    expect(out.join("\n")).toContain(
      "\n  it waits at another Temporal than the one that is used here\n  → set",
    );
    expect(out.join("\n")).toContain("where it is lost, `sluice run accounts` notes");
    expect(out.join("\n")).not.toContain("sluice approve");
  });

  it.each([
    ["sync has another name by now", renamed, 'there is no sync "accounts" in'],
    ["service or account is another by now", elsewhere, "it is held for http"],
  ])("has a line of its own where its %s, with what answers it", async (_, yaml, why) => {
    const harness = await (await heldNight()).withYaml(yaml);
    const status = await statusOf(harness);
    expect(status.transfers[0]?.last).toBeUndefined();
    const [line] = remarkLines(status);
    expect(line).toMatch(/^accounts: run run-1 is held since .* UTC: new_above 3: 5 new; /);
    expect(line).toContain(why);
    expect(line).toContain("→ `sluice runs show run-1`, then `sluice discard run-1`");
    expect(status.holds.map(leftHoldJson)).toMatchObject([
      { run_id: "run-1", sync: "accounts", not_sendable: expect.stringContaining(why) as unknown },
    ]);
    const { get } = await openUi(harness);
    expect((await get("/")).text).toContain("<code>sluice discard run-1</code>");
    const { text: held } = await get("/held");
    expect(held).toContain("<code>sluice discard run-1</code>");
    expect(held).not.toContain("sluice approve");
  });
});
