/** The kind of mistake in a mutant. */
export type ChangeKind =
  | "comparison"
  | "and, or"
  | "negation"
  | "one more or less"
  | "true, false"
  | "default"
  | "statement left out"
  | "condition"
  | "arguments"
  | "list emptied"
  | "`finally` emptied"
  | "SQL";

/** One place of a file, and its replacement in the mutant. */
export type Change = {
  readonly kind: ChangeKind;
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
};

/** The text with the change made. */
export function changed(text: string, { start, end, replacement }: Change): string {
  return `${text.slice(0, start)}${replacement}${text.slice(end)}`;
}
