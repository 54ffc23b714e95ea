import { setFlagsFromString } from "node:v8";

import { z } from "zod";

/** Gives this process, and the threads that it starts from now on, the V8 flags of a process that runs syncs. */
export async function setRunFlags(): Promise<void> {
  const found: unknown = await import(new URL("../bin/mover-flags.js", import.meta.url).href);
  const { moverFlags } = z.object({ moverFlags: z.array(z.string()) }).parse(found);
  for (const flag of moverFlags) setFlagsFromString(flag);
}
