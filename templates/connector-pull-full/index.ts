import { pullSource } from "sluice/connector";

import { config, position } from "./config.ts";
import { columns, check } from "./look.ts";
import { get, write } from "./one-row.ts";
import { read } from "./read.ts";
import { at, measure, rewind, split } from "./span.ts";

/** Reads the rows of a SQLite table as they change. */
export const source = pullSource({
  name: "connector-name",
  config,
  position,
  // The one member that must be there. Each of the others is a promise: take out those that your source cannot keep.
  read,
  // `sluice check`, `sluice preview`, and the time left of a run.
  check,
  columns,
  measure,
  // Rows that were written late.
  rewind,
  // Backfills: by time, and in several lanes.
  at,
  split,
  // Rejects that were fixed, and results that are written back.
  get,
  write,
});
