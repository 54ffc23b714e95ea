import { z } from "zod";

const offset = z.int().nonnegative();
const line = z.int().positive();
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

const markMembers = {
  /** The file's place, as it is in a row's place before the line. */
  file: z.string().nonempty(),
  /** Bytes of the file that are covered; for a gzip file, unpacked bytes. */
  offset,
  /** Line of the byte at `offset`. */
  line,
  /** Hash of the first 64 KB of the file; for an append-only file, of no more than the covered bytes. */
  head: sha256,
  /** Hash of the last 64 KB that are covered. */
  tail: sha256,
};

const mark = z.strictObject(markMembers).readonly();

const runPosition = z
  .strictObject({
    ...markMembers,
    dev: z.string(),
    ino: z.string(),
    size: z.int().nonnegative(),
    mtime_ns: z.string(),
    /** Hash over the states of the files that were read whole before; undefined where there was no such file. */
    before: sha256.optional(),
    /** The file that the read began with; other files may have come before it since. */
    first: z.string(),
  })
  .readonly();

const appendPosition = z.strictObject({ files: z.array(mark).readonly() }).readonly();

/**
 * How far a read came. For a source that is read whole in each run: every file before `file`, and `file` up to
 * `offset`, all of which must still be the same. For an append-only one: each file it has ever read, up to that file's
 * `offset`.
 */
export const csvPosition = z.union([runPosition, appendPosition]);

/** See `csvPosition`. */
export type CsvPosition = z.output<typeof csvPosition>;

/** How far one file was read, and the hashes that recognise it. */
export type Mark = z.output<typeof mark>;

/** A position within a run: the mark of one file, and the state the file was seen in. */
export type RunPosition = z.output<typeof runPosition>;
