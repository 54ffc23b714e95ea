import { z } from "zod";

/**
 * How far `paginate` came: all groups before `at`, and the entries of that group that `seen` names. With a change
 * column, a group holds the entries that changed at one time, and the API is asked for changes since the group before,
 * because some APIs leave out the given time itself; `seen` names each entry with a hash of its content, because a row
 * may change twice at one time. Without a change column, a group is a page of the API, and `seen` names its last entry.
 */
export const pagePosition = z.strictObject({
  /** The list that is read; a position of another list does not count. */
  of: z.string(),
  since: z.string(),
  at: z.string(),
  seen: z.string().array(),
});

/** See `pagePosition`. */
export type PagePosition = z.output<typeof pagePosition>;
