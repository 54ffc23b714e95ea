import { fileURLToPath } from "node:url";

import { z } from "zod";

const dist = new URL("../dist/", import.meta.url);

/** The program as built: what is measured is what runs, without Node's TypeScript loader in its threads. */
export const bin = fileURLToPath(new URL("../bin/sluice.js", import.meta.url));

/** Imports a module of the build; `Module` is the type of its source. */
export async function built<Module>(path: string): Promise<Module> {
  // The compiler cannot look into the build, which is made of the source that it does know.
  return z.custom<Module>().parse(await import(new URL(path, dist).href));
}
