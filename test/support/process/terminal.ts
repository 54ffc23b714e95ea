import { PassThrough } from "node:stream";

import { onTestFinished } from "vitest";

import { until } from "./process.ts";

/** Makes this process one at whose terminal nobody types anything, for the time of a test. */
export function atTerminal(): void {
  const was = [
    [process, "stdin", Object.getOwnPropertyDescriptor(process, "stdin")],
    [process.stderr, "isTTY", Object.getOwnPropertyDescriptor(process.stderr, "isTTY")],
  ] as const;
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  Object.defineProperty(process, "stdin", { value: stdin, configurable: true });
  Object.defineProperty(process.stderr, "isTTY", { value: true, configurable: true });
  onTestFinished(() => {
    for (const [of, name, descriptor] of was) {
      if (descriptor === undefined) Reflect.deleteProperty(of, name);
      else Object.defineProperty(of, name, descriptor);
    }
    for (const name of ["SIGINT", "SIGTERM", "SIGHUP"]) process.removeAllListeners(name);
  });
}

/** Interrupts a command of this process once it asks its question. */
export async function interruptAtQuestion(): Promise<void> {
  await until(
    async () => process.stdin.listenerCount("keypress") + process.stdin.listenerCount("data") > 0,
  );
  process.emit("SIGHUP");
}
