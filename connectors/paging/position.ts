import { z } from "zod";

/**
 * How far `paginate` came: the groups before `at`, and the entries of that one that `seen` names. With a
 * change column a group holds the entries that changed at one time, and the API is asked for what changed
 * since the group before, as some leave out the time that they are given; `seen` names each entry with a hash
 * of what it holds, because a row may change twice at one time. Without a change column a group is a page of
 * the API, and `seen` names its last entry.
 */
export const pagePosition = z.strictObject({
  /** What is read; a position of another reading counts for nothing. */
  of: z.string(),
  since: z.string(),
  at: z.string(),
  seen: z.string().array(),
});

/** See `pagePosition`. */
export type PagePosition = z.output<typeof pagePosition>;
