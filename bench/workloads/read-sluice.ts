// Reads a source to its end as a stage thread does, and discards the rows:
// node bench/workloads/read-sluice.ts --connector postgres --members '{"url":"postgres://…","table":"accounts"}'
import { parseArgs } from "node:util";

import type * as Registry from "../../connectors/registry.ts";
import type * as Limits from "../../src/limits.ts";
import { built } from "../built.ts";
import { tellUsage } from "../usage.ts";

const { pageRowsMax } = await built<typeof Limits>("src/limits.js");
const { sources } = await built<typeof Registry>("connectors/registry.js");

const options = {
  connector: { type: "string", default: "" },
  members: { type: "string", default: "{}" },
} as const;
const { connector, members } = parseArgs({ options }).values;
const source = sources.get(connector);
if (source === undefined) throw new Error(`there is no connector "${connector}"`);

const ask = {
  config: source.config.parse(JSON.parse(members)),
  signal: new AbortController().signal,
  log: { info: () => undefined, warn: () => undefined },
};
let records = 0;
for await (const page of source.read({ ...ask, pageRowsMax })) records += page.rows.length;
tellUsage({ files: [], records, unchanged: 0 });
