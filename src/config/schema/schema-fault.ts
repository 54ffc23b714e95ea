import { relative } from "node:path";
import { fileURLToPath } from "node:url";

/** A place in a stack of an ES module, without its column. */
const frame = /(?<url>file:\/\/\/[^\s()]+?):(?<line>\d+):\d+\)?$/gm;

/**
 * What the `config` of a connector threw, which should have refused its members. Without the words of the error: they
 * may quote a member that is a secret.
 */
export function schemaFault(
  error: unknown,
  { connector, folder }: { readonly connector: string; readonly folder: string },
): string {
  const { name, stack = "" } = error instanceof Error ? error : new Error();
  const places = [...stack.matchAll(frame)].flatMap(({ groups }) => {
    const { url = "", line = "" } = groups ?? {};
    const file = relative(folder, fileURLToPath(url));
    const isIts = !file.startsWith("..") && !file.includes("node_modules/");
    return isIts ? [` at ${file}:${line}`] : [];
  });
  return (
    `the config of ${connector} fails over these members: ${name}${places[0] ?? ""}; ` +
    "it must check with `refine`, and neither throw nor be async"
  );
}
