import type { Source } from "./connector.ts";
import { csv } from "./csv/index.ts";

/** Every connector of this repository, by the name that `connector:` takes. */
export const sources: ReadonlyMap<string, Source> = new Map(
  [csv].map((source) => [source.name, source]),
);
