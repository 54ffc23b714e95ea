import { z } from "zod";

/** The kinds of records of which a staging names examples, by why they are sent. */
export const exampleKinds = ["new", "changed", "unknown"] as const;

/** Examples that are named of each kind, at most. */
export const examplesMax = 10;

const example = z
  .object({
    kind: z.enum(exampleKinds),
    chunk: z.int(),
    stage: z.int(),
    /** Its number in the staged file, from 0. */
    record: z.int(),
    /** Place of its row: `accounts.csv:48211`; null if that could be a key. */
    place: z.string().nullable(),
  })
  .readonly();

/** A record that a staging would send. */
export type ChangeExample = z.output<typeof example>;

/** Why records were staged, as JSON has it. */
export const changes = z
  .object({
    new: z.int(),
    changed: z.int(),
    /** Those among `changed` whose record at the service was made by an older mapping. */
    remapped: z.int(),
    unknown: z.int(),
    again: z.int(),
    /** Records among `changed` by the path of each field in which they differ. A record counts in each such field. */
    fields: z.record(z.string(), z.int()),
    /** The first ones of each kind; undefined if nobody asked for them. */
    examples: z.array(example).readonly().optional(),
  })
  .readonly();

/**
 * Why the records of a staging, or of a run, are sent: each is new, changed, unknown or sent again, as `verdict` says.
 */
export type Changes = z.output<typeof changes>;

/** No changes. */
export const noChanges: Changes = {
  new: 0,
  changed: 0,
  remapped: 0,
  unknown: 0,
  again: 0,
  fields: {},
};

/** The first examples of each kind. */
export function firstExamples(all: readonly ChangeExample[]): readonly ChangeExample[] {
  return exampleKinds.flatMap((kind) =>
    all.filter((one) => one.kind === kind).slice(0, examplesMax),
  );
}

/** The changes of two stagings together. */
export function withChanges(one: Changes, other: Changes): Changes {
  const fields = new Map(Object.entries(one.fields));
  for (const [field, records] of Object.entries(other.fields)) {
    fields.set(field, (fields.get(field) ?? 0) + records);
  }
  const examples = firstExamples([...(one.examples ?? []), ...(other.examples ?? [])]);
  return {
    new: one.new + other.new,
    changed: one.changed + other.changed,
    remapped: one.remapped + other.remapped,
    unknown: one.unknown + other.unknown,
    again: one.again + other.again,
    fields: Object.fromEntries(fields),
    ...(examples.length === 0 ? {} : { examples }),
  };
}
