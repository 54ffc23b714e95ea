import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { expect, it } from "vitest";
import { z } from "zod";

import { accountsCsv, accountsYaml, Harness } from "../support/project/harness.ts";
import { heldYaml } from "../support/project/held-night.ts";
import { driveRun } from "./drive/drive-run.ts";
import { Journal } from "./journal.ts";

const run = { runId: "run-1", workflowId: "wf-run-1", firstRunId: "first-run-1" };

const scheduled = z.object({
  activityTaskScheduledEventAttributes: z
    .object({ activityType: z.object({ name: z.string() }) })
    .optional(),
});
const history = z.object({ events: z.array(scheduled) });

/** The activities of a recorded workflow, in the order in which each was first scheduled. */
async function recorded(name: string): Promise<readonly string[]> {
  const path = join(import.meta.dirname, `../replay/${name}.json`);
  const { events } = history.parse(JSON.parse(await readFile(path, "utf8")));
  const names = events.map(
    (event) => event.activityTaskScheduledEventAttributes?.activityType.name,
  );
  return [...new Set(names.filter((each) => each !== undefined))];
}

it.each([
  { name: "lightweight", mode: "lightweight", isHeld: false },
  { name: "heavyweight", mode: "heavyweight", isHeld: false },
  { name: "held", mode: "lightweight", isHeld: true },
] as const)(
  "a crash test drives the activities of its workflow in its order: $name",
  async (way) => {
    const { name, mode, isHeld } = way;
    const yaml = isHeld ? heldYaml : accountsYaml();
    const harness = await Harness.open({ yaml, files: { "accounts.csv": accountsCsv(5) } });
    const journal = new Journal(join(harness.folder, "journal.jsonl"));
    await driveRun({ run, mode, isHeld, deps: harness.deps, journal });
    const begun = journal.read().begun.map((each) => each.split(" ", 1)[0]);
    expect([...new Set(begun)]).toEqual(await recorded(name));
  },
);
