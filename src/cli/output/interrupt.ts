/** Signals this close together count as one: a terminal or a wrapper sends one to the group and forwards it, too. */
const sameSignalMs = 1_000;

/** Why a command is to stop. */
class Interrupted extends Error {
  readonly by: NodeJS.Signals;

  constructor(by: NodeJS.Signals) {
    super(`interrupted by ${by}`);
    this.by = by;
  }
}

/** Whether the signal of `onInterrupt` was aborted by a person at the terminal, and by nobody else. */
export function isCtrlC({ reason }: AbortSignal): boolean {
  return reason instanceof Interrupted && reason.by === "SIGINT";
}

/** A signal that aborts with the first Ctrl-C, SIGTERM or SIGHUP; a later one ends the process at once. */
export function onInterrupt(): AbortController {
  const interrupted = new AbortController();
  let firstAt = 0;
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(name, () => {
      if (!interrupted.signal.aborted) firstAt = Date.now();
      else if (Date.now() - firstAt > sameSignalMs) process.exit(130);
      interrupted.abort(new Interrupted(name));
    });
  }
  return interrupted;
}

/** Far beyond any wait: the timer only gives the process something to do. */
const dayMs = 86_400_000;

/**
 * Resolves when the signal aborts, or settles as `other` does if that comes first. Until then it keeps the process
 * alive, even if nothing else does.
 */
export async function untilAborted<Result = undefined>(
  signal: AbortSignal,
  other?: Promise<Result>,
): Promise<Result | undefined> {
  if (signal.aborted) return undefined;
  const { promise: aborted, resolve } = Promise.withResolvers<undefined>();
  const end = (): void => resolve(undefined);
  const alive = setInterval(() => undefined, dayMs);
  signal.addEventListener("abort", end, { once: true });
  try {
    return await (other === undefined ? aborted : Promise.race([other, aborted]));
  } finally {
    clearInterval(alive);
    signal.removeEventListener("abort", end);
  }
}
