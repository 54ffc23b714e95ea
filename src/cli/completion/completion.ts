import { Argument } from "commander";

import type { Context, Register } from "../output/context.ts";
import { createProgram } from "../program.ts";
import { verbGroups } from "../verbs.ts";
import { readNames } from "./names.ts";
import { scripts, shells, type Shell } from "./scripts.ts";
import { wordsFor } from "./words.ts";

/** The configuration that the words name. */
function configIn(words: readonly string[]): string | undefined {
  const at = words.findIndex((word) => word === "-c" || word === "--config");
  return at < 0 ? undefined : words[at + 1];
}

/** The verbs with this beginning. They are known before their code is loaded. */
function verbsFor(start: string): readonly string[] {
  const verbs = Object.values(verbGroups).flatMap((group) => Object.keys(group));
  return [...verbs, "help"].filter((verb) => verb.startsWith(start));
}

async function wordsIn(context: Context, words: readonly string[]): Promise<readonly string[]> {
  const program = await createProgram(context, { verb: words[0] });
  return await wordsFor(program, words, await readNames(context, configIn(words)));
}

/** `sluice completion <shell>`. */
export const registerCompletion: Register = (program, context) => {
  program
    .command("completion")
    .addArgument(new Argument("<shell>").choices(shells))
    .addArgument(new Argument("[words...]", "for the script: words whose last is to be completed"))
    .description("print a script that completes commands, options and names in a shell")
    .action(async (shell: Shell, words: readonly string[]) => {
      if (words.length === 0) return context.print(scripts[shell]);
      const found = words.length === 1 ? verbsFor(words[0] ?? "") : await wordsIn(context, words);
      if (found.length > 0) context.print(found.join("\n"));
    });
};
