/** Ends the process soon, even if a wrong connector or its harness left something open. */
export function endSoon(): void {
  const graceMs = 500;
  setTimeout(() => process.exit(), graceMs).unref();
}
