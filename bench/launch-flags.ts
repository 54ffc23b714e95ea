// Apart from what measured programs import: they would load zod from its package beside the one that is bundled.
import { z } from "zod";

const launch = z.object({
  launchOf: z.custom<(words: readonly string[], env: NodeJS.ProcessEnv) => unknown>(),
});

/** The flags of Node with which bin/sluice.js runs a command, for what is compared with it. */
export async function flagsOf(verb: string): Promise<readonly string[]> {
  const { launchOf } = launch.parse(
    await import(new URL("../bin/launch.js", import.meta.url).href),
  );
  return z.object({ flags: z.array(z.string()) }).parse(launchOf([verb], {})).flags;
}
