import type { HelpConfiguration } from "commander";

/** How help texts are laid out. Commands take it over from the program when they are added. */
export const helpLayout: HelpConfiguration = {
  // A text with less room beside its term is not wrapped at all.
  minWidthToWrap: 20,
  // Every command has options, so only the arguments distinguish one from another.
  subcommandTerm: (command) => `${command.name()} ${argumentsOf(command)}`.trimEnd(),
};

function argumentsOf({ registeredArguments }: Parameters<SubcommandTerm>[0]): string {
  return registeredArguments
    .map((argument) => {
      const name = argument.variadic ? `${argument.name()}...` : argument.name();
      return argument.required ? `<${name}>` : `[${name}]`;
    })
    .join(" ");
}

type SubcommandTerm = NonNullable<HelpConfiguration["subcommandTerm"]>;
