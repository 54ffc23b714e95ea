// Separate from modules that measured programs import: they would load zod from its package next to the bundled one.
import { z } from "zod";

const launch = z.object({
  launchOf: z.custom<(words: readonly string[], env: NodeJS.ProcessEnv) => unknown>(),
});

/** Node's flags with which bin/sluice.js runs a command, for programs that are compared with it. */
export async function flagsOf(verb: string): Promise<readonly string[]> {
  const { launchOf } = launch.parse(
    await import(new URL("../bin/launch.js", import.meta.url).href),
  );
  return z.object({ flags: z.array(z.string()) }).parse(launchOf([verb], {})).flags;
}
