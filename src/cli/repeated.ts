/** Gathers the values of an option that may be repeated: one may hold any sign, so that none stands between two. */
export function repeated(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}
