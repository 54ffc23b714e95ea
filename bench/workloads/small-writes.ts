// A process that writes into a state store like an idle worker, but a hundred times a second, and measures how
// long each write takes: node bench/workloads/small-writes.ts --folder state. Its first line says that it has
// begun; SIGTERM ends it, and its last line has the measurements.
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";

import type * as Sqlite from "../../src/state/sqlite/open.ts";
import { built } from "../built.ts";
import { latenciesOf } from "../latencies.ts";

const pauseMs = 10;

const { openSqliteStore } = await built<typeof Sqlite>("src/state/sqlite/open.js");
const options = { folder: { type: "string", default: "" } } as const;
const state = await openSqliteStore(parseArgs({ options }).values.folder);

const over = new AbortController();
process.once("SIGTERM", () => over.abort());
const beat = { hostId: "bench", process: String(process.pid), temporalId: "", version: "" };
const durations: number[] = [];
console.log(JSON.stringify({ begun: true }));
while (!over.signal.aborted) {
  const startedMs = performance.now();
  await state.beat({ ...beat, lastBeat: Date.now() });
  durations.push(performance.now() - startedMs);
  await setTimeout(pauseMs);
}
await state.close();
console.log(JSON.stringify(latenciesOf(durations)));
