/** Collects the values of a repeatable option: a value may hold any character, so none can separate two. */
export function repeated(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}
