import type { PullConfig } from "../../src/config/schema/pull.ts";
import { TooManyRejectsError } from "../../src/errors.ts";
import { shareOf } from "../../src/text/quantities.ts";

/**
 * Compares the refusals of a pull with its `reject_limit`.
 * @throws {TooManyRejectsError} they exceed it: to continue would only cost more.
 */
export function assertFewRejects(
  { name, rejectLimit }: Pick<PullConfig, "name" | "rejectLimit">,
  {
    refused,
    read,
    what,
  }: { readonly refused: number; readonly read: number; readonly what: "results" | "rows" },
): void {
  const { rate, rows } = rejectLimit;
  if (refused <= rows || refused <= shareOf(rate, read)) return;
  // The run's place is past the refused results by now: only a new round brings them again.
  const fix =
    what === "rows"
      ? "the column that domains are read from"
      : `the write-back or the table, then \`sluice pull ${name} --full\``;
  const message =
    `${refused} of ${read} ${what} were refused, more than \`reject_limit\` allows (${rows} ` +
    `${what} and ${shareOf(rate, 100)} %)`;
  throw new TooManyRejectsError(message, {
    field: `pulls.${name}.reject_limit`,
    hint: `look at \`sluice rejects list\`; fix ${fix}`,
  });
}
