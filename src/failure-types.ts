import { z } from "zod";

import { isOfWrongValue, wordingOf } from "./config/messages/wording.ts";

/** Characters of the text about a wrong input, which may name members of any length. */
export const problemCharsMax = 2_000;

/** The problem of an input that continues a run which its workflow did not begin itself. */
export const foreignRun = "✖ continued: only a workflow itself continues its run";

/**
 * Says what is wrong with a workflow's input; short, however long the input. `example` is an input to paste, undefined
 * where nobody types one. Workflows import this file, so it and its imports stay free of Node.
 */
export function wrongInput(problem: string | z.ZodError, example?: object): string {
  const text = typeof problem === "string" ? problem : z.prettifyError(problem);
  const said = `the input of this workflow is wrong:\n${text.slice(0, problemCharsMax)}`;
  return example === undefined ? said : `${said}\nTry:\n${JSON.stringify(example)}`;
}

/** The wording for a member of an input as a person types it; undefined where the schema's own wording is used. */
export function wordingOfInput(issue: z.core.$ZodRawIssue): string | undefined {
  const isMember = issue.code !== "unrecognized_keys" && (issue.path ?? []).length > 0;
  if (!isMember) return undefined;
  return isOfWrongValue(issue) && issue.input === undefined ? "it is missing" : wordingOf(issue);
}

/** Type of the failure of an activity that its worker's stop interrupted: not a fault, and retried. */
export const workerStoppedType = "WorkerStopped";

/** Types of failures in Temporal that no class of `src/errors.ts` has; docs/errors.md is made from them too. */
export const otherFailures = {
  InvalidInput: {
    meaning: "the input typed for a workflow is not valid",
    advice: "Start it again with the corrected input that the message shows.",
  },
  Unexpected: {
    meaning: "a library or a bug raised an error that sluice does not know",
    advice: "Nothing while it is retried. If it lasts, report a bug, with the text.",
  },
} as const;
