import { fileURLToPath } from "node:url";

const dist = new URL("../dist/", import.meta.url);

/** The program as built: measures what users run, without Node's TypeScript loader in its threads. */
export const bin = fileURLToPath(new URL("../bin/sluice.js", import.meta.url));

/** Imports a module of the build; `Module` is the type of its source. */
export async function built<Module>(path: string): Promise<Module> {
  // The compiler cannot look into the build, but it knows the source of the build.
  // oxlint-disable-next-line unicorn/consistent-function-scoping -- it needs the type parameter
  const isModule = (value: unknown): value is Module => typeof value === "object";
  const loaded: unknown = await import(new URL(path, dist).href);
  if (!isModule(loaded)) throw new Error(`dist/${path} is no module`);
  return loaded;
}
