import { z } from "zod";

import { sandboxStreams } from "../schemas.ts";

/**
 * One member of a 422's `detail` (docs/facts/service.md#errors). The optional `input` is left out: answers
 * get logged.
 */
export const issueSchema = z.object({
  loc: z.array(z.union([z.string(), z.int()])).readonly(),
  msg: z.string(),
  type: z.string(),
});

const contentSchema = z.object({
  /** Name of the file on the disk; null when the content was refused and not kept. */
  diskName: z.string().nullable(),
  gzipSha256: z.string().nullable(),
  jsonlSha256: z.string().nullable(),
  records: z.int(),
  /** Bytes as received. */
  bytes: z.int(),
  /** When a PUT was done, in Unix ms; absent for the data of an upload-json. */
  storedAtMs: z.int().optional(),
  /** The issues that confirm answers with; empty when every record may be applied. */
  issues: z.array(issueSchema).readonly(),
});

/** The state of one file key, as the ledger stores it. */
export const uploadSchema = z.object({
  fileKey: z.string(),
  stream: z.enum(sandboxStreams),
  /** SHA-256 of the API key that asked for the file key: for every other API key it does not exist. */
  owner: z.string(),
  /** The content of the last PUT; absent before the first. */
  content: contentSchema.optional(),
  /** Once true, the content never changes again. */
  isConfirmed: z.boolean(),
});

/** One refusal in the published shape. */
export type UploadIssue = Readonly<z.output<typeof issueSchema>>;

/** The content of one PUT, or of one upload-json. */
export type Content = Readonly<z.output<typeof contentSchema>>;

/** Everything known about one file key. */
export type Upload = Readonly<z.output<typeof uploadSchema>>;
