/** A signal that aborts with the first Ctrl-C, SIGTERM or SIGHUP; a second one ends the process at once. */
export function onInterrupt(): AbortController {
  const interrupted = new AbortController();
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(name, () => {
      if (interrupted.signal.aborted) process.exit(130);
      interrupted.abort();
    });
  }
  return interrupted;
}

/** Resolves when the signal aborts. */
export async function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
