/**
 * Guardrails to begin with, as `hold_if` is written: a good night rarely breaks one of them, a broken export usually
 * does. There are fewer for a source that is read from its checkpoint, or whose records are not compared.
 */
export function recommendedHoldIf({
  readsAll,
  comparesRecords,
}: {
  /** Whether each run reads the whole source. */
  readonly readsAll: boolean;
  /** Whether it sends only what changed. */
  readonly comparesRecords: boolean;
}): string {
  const bounds = [
    "rejected_above: 2%",
    ...(readsAll && comparesRecords ? ["changed_above: 30%"] : []),
    ...(readsAll ? ["rows_below: 80%"] : []),
  ];
  return `{ ${bounds.join(", ")} }`;
}
