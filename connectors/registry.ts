import type { Source } from "./connector.ts";
import { csv } from "./csv/index.ts";
import { readFromInbox } from "./inbox.ts";
import { postgres } from "./postgres/index.ts";
import { webhook } from "./webhook/index.ts";

/** Every connector of this repository, by the name that `connector:` takes. */
export const sources: ReadonlyMap<string, Source> = new Map(
  [csv, postgres, readFromInbox(webhook)].map((source) => [source.name, source]),
);
