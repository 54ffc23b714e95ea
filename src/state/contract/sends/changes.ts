import { z } from "zod";

/** Why records were staged, as JSON has it. */
export const changes = z
  .object({
    new: z.int(),
    changed: z.int(),
    /** Those among `changed` of which an older mapping made what the service holds. */
    remapped: z.int(),
    unknown: z.int(),
    again: z.int(),
    /** By the path of a field: records among `changed` that differ in it. A record counts in each of its fields. */
    fields: z.record(z.string(), z.int()),
  })
  .readonly();

/**
 * Why the records of a staging, or of a run, are sent: each is new, changed, unknown or sent again, as `verdict` says.
 */
export type Changes = z.output<typeof changes>;

/** Those of nothing. */
export const noChanges: Changes = {
  new: 0,
  changed: 0,
  remapped: 0,
  unknown: 0,
  again: 0,
  fields: {},
};

/** The changes of two stagings together. */
export function withChanges(one: Changes, other: Changes): Changes {
  const fields = new Map(Object.entries(one.fields));
  for (const [field, records] of Object.entries(other.fields)) {
    fields.set(field, (fields.get(field) ?? 0) + records);
  }
  return {
    new: one.new + other.new,
    changed: one.changed + other.changed,
    remapped: one.remapped + other.remapped,
    unknown: one.unknown + other.unknown,
    again: one.again + other.again,
    fields: Object.fromEntries(fields),
  };
}
