import { z } from "zod";

import { locNameCharsMax, nestingDepthMax } from "../limits.ts";
import { sandboxRecordSchemas, type SandboxStream } from "../schemas.ts";
import type { UploadIssue } from "./upload.ts";

// Compiled once: uncompiled, zod costs four times as much per record and would be the most expensive part of a PUT.
const compiled: Readonly<Record<SandboxStream, z.ZodType>> = {
  account: z.compile(sandboxRecordSchemas.account, { strict: true }),
  account_event: z.compile(sandboxRecordSchemas.account_event, { strict: true }),
  contact: z.compile(sandboxRecordSchemas.contact, { strict: true }),
  contact_event: z.compile(sandboxRecordSchemas.contact_event, { strict: true }),
};

/** The issues of one record; empty when it follows its stream's schema. `loc` begins at the record. */
export function checkRecord(stream: SandboxStream, record: unknown): readonly UploadIssue[] {
  const result = compiled[stream].safeParse(record);
  if (!result.success) return issuesOf(result.error);
  const problem = unstorable(record, 0);
  return problem === undefined ? [] : [{ loc: [], msg: problem, type: "value_error" }];
}

/** The issues with `place` put before each `loc`: the place of a record in its body, or of a line in its file. */
export function issuesAt(
  place: readonly (string | number)[],
  issues: readonly UploadIssue[],
): UploadIssue[] {
  return issues.map((issue) => ({ ...issue, loc: [...place, ...issue.loc] }));
}

/** A failed parse in the published shape; one issue for all unknown members of an object, named after the first. */
export function issuesOf(error: z.ZodError): UploadIssue[] {
  return error.issues.map((issue) => {
    const loc = issue.path.map((part) => (typeof part === "symbol" ? String(part) : part));
    if (issue.code === "unrecognized_keys") {
      const name = issue.keys.find((key) => key.length <= locNameCharsMax);
      return {
        loc: name === undefined ? loc : [...loc, name],
        msg: "Extra inputs are not permitted",
        type: "extra_forbidden",
      };
    }
    return { loc, msg: issue.message, type: issue.code };
  });
}

/**
 * Says why a value from JSON.parse cannot be stored as it was meant: a number beyond a double, half a surrogate pair,
 * nesting that would overflow a reader's stack. The limit of depth bounds this recursion too.
 */
function unstorable(value: unknown, depth: number): string | undefined {
  if (typeof value === "string") return value.isWellFormed() ? undefined : "Lone surrogate in text";
  if (typeof value === "number")
    return Number.isFinite(value) ? undefined : "Number beyond the range of a double";
  if (typeof value !== "object" || value === null) return undefined;
  if (depth === nestingDepthMax) return `Nested deeper than ${nestingDepthMax} levels`;
  for (const [name, member] of Object.entries(value)) {
    const problem = name.isWellFormed()
      ? unstorable(member, depth + 1)
      : "Lone surrogate in a name";
    if (problem !== undefined) return problem;
  }
  return undefined;
}
