import { z } from "zod";

import { SourceChangedError } from "../../src/errors.ts";
import type { ReadRequest } from "../contract/connector.ts";

/** A connection to a file of JSON lines. */
export const jsonlConfig = z.strictObject({
  path: z.string().min(1).describe("The file: one JSON object on each line."),
  append_only: z.boolean().default(false).describe("It only grows: runs read what was added."),
  folder: z.string().optional().describe("Where a relative path starts; given by the engine."),
});
/** How many bytes are covered, the line after them, and the mark that recognises the file. */
export const jsonlPosition = z.object({
  offset: z.int().positive(),
  line: z.int().positive(),
  mark: z.string(),
});

/** How far a file was read. */
export type Position = z.output<typeof jsonlPosition>;

/** The request for a read. */
export type JsonlRequest = ReadRequest<z.output<typeof jsonlConfig>, Position>;

/** The error for a file that is another one now. */
export function otherFile({ config }: JsonlRequest): SourceChangedError {
  const hint = config.append_only
    ? "if it was replaced on purpose, send what was added to the old one, then `sluice state reset` begins with " +
      "the new one"
    : "put a new file in place by renaming it, and not while a run reads: a run of the sync reads it as it is now";
  return new SourceChangedError(`${config.path} is not the file that was read before`, { hint });
}
