import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { bundleWorkflowCode, Runtime, Worker } from "@temporalio/worker";
import { DeterminismViolationError } from "@temporalio/workflow";
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";

const workflowsPath = fileURLToPath(new URL("../../workflows/index.ts", import.meta.url));
const folder = new URL("../replay/", import.meta.url);
const silent = { log() {}, trace() {}, debug() {}, info() {}, warn() {}, error() {} };

const historySchema = z.looseObject({
  events: z.array(
    z.looseObject({
      activityTaskScheduledEventAttributes: z
        .looseObject({ activityType: z.looseObject({ name: z.string() }) })
        .optional(),
    }),
  ),
});

const histories = readdirSync(folder).filter((name) => name.endsWith(".json"));

function read(name: string): z.output<typeof historySchema> {
  return historySchema.parse(JSON.parse(readFileSync(new URL(name, folder), "utf8")));
}

describe("recorded histories", () => {
  let code: string;
  beforeAll(async () => {
    Runtime.install({
      logger: silent,
      telemetryOptions: { logging: { forward: {}, filter: "OFF" } },
    });
    ({ code } = await bundleWorkflowCode({ workflowsPath, logger: silent }));
  });
  const replay = async (history: unknown): Promise<void> => {
    await Worker.runReplayHistory({ workflowBundle: { code } }, history, "sync-recorded");
  };

  it("are there", () => {
    expect(histories.length).toBeGreaterThanOrEqual(3);
  });

  it.each(histories)("replay with today's workflows: %s", async (name) => {
    await expect(replay(read(name))).resolves.toBeUndefined();
  });

  it("tell when the order of activities has changed", async () => {
    const history = read("heavyweight.json");
    const scheduled = history.events.flatMap(
      ({ activityTaskScheduledEventAttributes: attributes }) =>
        attributes === undefined ? [] : [attributes.activityType],
    );
    const upload = scheduled.find(({ name }) => name === "uploadFile");
    const confirm = scheduled.find(({ name }) => name === "confirmUpload");
    if (upload === undefined || confirm === undefined)
      throw new Error("the fixture holds no upload");
    [upload.name, confirm.name] = [confirm.name, upload.name];
    await expect(replay(history)).rejects.toThrow(DeterminismViolationError);
  });
});
