import type { Source } from "./connector.ts";
import { csv } from "./csv/index.ts";
import { postgres } from "./postgres/index.ts";

/** Every connector of this repository, by the name that `connector:` takes. */
export const sources: ReadonlyMap<string, Source> = new Map(
  [csv, postgres].map((source) => [source.name, source]),
);
