/** An outcome in words: `done with rejects`. */
export function outcomeText(outcome: string): string {
  return outcome.replaceAll("_", " ");
}
