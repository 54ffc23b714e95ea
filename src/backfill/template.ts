import type { Config } from "../config/config.ts";
import { projectWorkflowId } from "../config/task-queue.ts";
import type { SourceToPlan } from "./source.ts";

/** A finished run from which the start form of the Web UI is prefilled. */
export type Template = {
  readonly workflowId: string;
  /** Input of the workflow `backfill`, which sends nothing until a person removes `template` from it. */
  readonly input: Readonly<Record<string, unknown>>;
};

/** Syncs that get a template (our choice): each costs a workflow when the first worker starts. */
const templatesMax = 100;

/** Lanes in an example. */
const lanesShown = 4;

/**
 * The id of the workflow that backfills a sync: only one runs at a time, and a link to the start form names
 * it. Two projects on one server never share it, because no name contains an @.
 */
export function backfillId({
  sync,
  taskQueue,
}: {
  readonly sync: string;
  readonly taskQueue: string;
}): string {
  return projectWorkflowId(`backfill-${sync}`, taskQueue);
}

/** Whether a source has times as this sync reads it: a table without a change column does not. */
function hasTimes(source: SourceToPlan, config: unknown): boolean {
  try {
    return source.at?.({ config, when: new Date() }) !== undefined;
  } catch {
    return false;
  }
}

/** The templates of the syncs that read a source of their own; an inbox is sent as it fills, and needs none. */
export function templatesOf(
  { syncs, temporal }: Pick<Config, "syncs" | "temporal">,
  sources: ReadonlyMap<string, SourceToPlan>,
): readonly Template[] {
  const templates = [...syncs.values()].flatMap((sync): Template[] => {
    const source = sources.get(sync.connector);
    if (source === undefined || source.push !== undefined) return [];
    const { name, connectorConfig } = sync;
    const input = {
      sync: name,
      ...(hasTimes(source, connectorConfig) ? { from: "last 30 days" } : {}),
      ...(source.split === undefined ? {} : { lanes: lanesShown }),
      approve: "ask",
      template: true,
    };
    return [{ workflowId: backfillId({ sync: name, taskQueue: temporal.taskQueue }), input }];
  });
  return templates.slice(0, templatesMax);
}
