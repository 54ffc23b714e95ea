import type { Command } from "commander";

import { entries } from "./entries.ts";
import { pathOf } from "./help.ts";

/**
 * The page of the documentation that has the rest, and examples of a command; of one that only names its
 * verbs the first of each.
 */
function entryOf(command: Command): {
  readonly examples: readonly string[];
  readonly page: string;
} {
  const own = entries[pathOf(command).join(" ")];
  if (own !== undefined) return own;
  const [first, ...others] = command.commands.map(entryOf);
  const examples = [first, ...others].flatMap((entry) => entry?.examples.slice(0, 1) ?? []);
  return { examples, page: first?.page ?? "README.md" };
}

/** Ends the help of a command, and of those below it, with examples and the page of the documentation. */
export function addHelp(command: Command): void {
  command.addHelpText("after", () => {
    const { examples, page } = entryOf(command);
    const lines = examples.map((example) => `  $ ${example}`);
    return ["", "Examples:", ...lines, "", `Documentation: ${page}`].join("\n");
  });
  command.commands.forEach(addHelp);
}
