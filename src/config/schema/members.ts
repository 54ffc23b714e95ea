/** The members of an unchecked value; none when it is not a group of members. */
export function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return isGroup(value) ? value : {};
}

function isGroup(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
