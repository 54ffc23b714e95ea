import { fileURLToPath } from "node:url";

import { z } from "zod";

const dist = new URL("../dist/", import.meta.url);

/** The program as built: what is measured is what runs, without Node's TypeScript loader in its threads. */
export const bin = fileURLToPath(new URL("../bin/sluice.js", import.meta.url));

/** Imports a module of the build; `Module` is the type of its source. */
export async function built<Module>(path: string): Promise<Module> {
  // The compiler cannot look into the build, which is made of the source that it does know.
  // oxlint-disable-next-line unicorn/consistent-function-scoping -- it needs the type parameter
  const isModule = (value: unknown): value is Module => typeof value === "object";
  const loaded: unknown = await import(new URL(path, dist).href);
  if (!isModule(loaded)) throw new Error(`dist/${path} is no module`);
  return loaded;
}

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
