/** An outcome as people read it: `done with rejects`. */
export function outcomeText(outcome: string): string {
  return outcome.replaceAll("_", " ");
}
