import type { Command } from "commander";

import { entries } from "./entries.ts";
import { pathOf } from "./help.ts";

/**
 * The examples of a command, and the page of the documentation with the rest. A command that only groups verbs has the
 * first example of each.
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

/** Adds examples and the page of the documentation to the help of a command, and of those below it. */
export function addHelp(command: Command): void {
  command.addHelpText("after", () => {
    const { examples, page } = entryOf(command);
    const lines = examples.map((example) => `  $ ${example}`);
    return ["", "Examples:", ...lines, "", `Documentation: ${page}`].join("\n");
  });
  command.commands.forEach(addHelp);
}
