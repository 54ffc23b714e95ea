/** The queue of a project that is alone on its Temporal server. */
export const taskQueueDefault = "sluice";

/**
 * The id of a workflow that a project runs one at a time. Two projects on one server never share it, because no name of
 * a sync or connection has an `@`.
 */
export function projectWorkflowId(name: string, taskQueue: string): string {
  return taskQueue === taskQueueDefault ? name : `${name}@${taskQueue}`;
}
