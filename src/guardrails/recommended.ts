/**
 * Guardrails to begin with, as `hold_if` is written: a good night is rarely beyond one of them, a broken export mostly
 * is. Of a source that is read on from its checkpoint, or of which nobody asks what changed, fewer can be said.
 */
export function recommendedHoldIf({
  readsAll,
  comparesRecords,
}: {
  /** Whether each run reads the whole source. */
  readonly readsAll: boolean;
  /** Whether it sends what changed alone. */
  readonly comparesRecords: boolean;
}): string {
  const bounds = [
    "rejected_above: 2%",
    ...(readsAll && comparesRecords ? ["changed_above: 30%"] : []),
    ...(readsAll ? ["rows_below: 80%"] : []),
  ];
  return `{ ${bounds.join(", ")} }`;
}
