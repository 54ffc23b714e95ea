/**
 * Wraps every change of the outside world and of the store, one change per call, so that whoever provides it sees each
 * by its name: a step of the service, a method of the store, a change of the staging folder.
 */
export type Effect = <Result>(name: string, work: () => Promise<Result>) => Promise<Result>;

/** The effect of a worker: the work itself, and nothing else. */
export const runEffect: Effect = async (_name, work) => await work();

/** Both effects around the same work, `outer` outside; undefined where there is neither. */
export function bothEffects(
  outer: Effect | undefined,
  inner: Effect | undefined,
): Effect | undefined {
  if (outer === undefined || inner === undefined) return outer ?? inner;
  return async (name, work) => await outer(name, async () => await inner(name, work));
}
