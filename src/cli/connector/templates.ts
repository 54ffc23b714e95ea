import { relative } from "node:path";

import type { Context } from "../output/context.ts";

/** The text in the templates that is replaced by the connector's name. */
export const placeholder = "connector-name";

/** The folder of templates, beside `src` and, when built, beside `dist`. */
export const templates = new URL(
  import.meta.url.endsWith(".ts") ? "../../../templates/" : "../../../../templates/",
  import.meta.url,
);

/** A path as `connector:` takes it. */
export function shownPath({ cwd }: Pick<Context, "cwd">, path: string): string {
  const way = relative(cwd, path);
  return way.startsWith("..") ? way : `./${way}`;
}
