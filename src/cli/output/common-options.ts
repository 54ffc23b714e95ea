import { Option, type Command } from "commander";

import { colorModes, type ColorMode } from "./style.ts";

/** The options of every command: how much it prints, and in which colours. */
export type CommonOptions = {
  readonly quiet?: boolean | undefined;
  readonly verbose?: boolean | undefined;
  /** False for `--no-color`. */
  readonly color?: ColorMode | false | undefined;
};

/** The heading of these options in a help text. */
export const commonHeading = "Options of every command:";

/** The options of every command, made anew for each. */
export function commonOptions(): readonly Option[] {
  return [
    new Option("-q, --quiet", "print only the result and errors").conflicts("verbose"),
    new Option("--verbose", "print also which servers are started, and where"),
    new Option(
      "--color <when>",
      "auto, always or never; NO_COLOR and FORCE_COLOR count too",
    ).choices(colorModes),
    new Option("--no-color", "the same as --color never"),
  ].map((option) => option.helpGroup(commonHeading));
}

/** The common options together: those after a command's name count more than those before it. */
export function mergedOptions(before: CommonOptions, behind: CommonOptions): CommonOptions {
  const { quiet, verbose } = behind.quiet || behind.verbose ? behind : before;
  return { quiet, verbose, color: behind.color ?? before.color };
}

/** Adds the common options to the program, or to a command that does something itself. */
export function withCommonOptions(command: Command): void {
  for (const option of commonOptions()) command.addOption(option);
}
