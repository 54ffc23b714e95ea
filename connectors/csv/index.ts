import { pullSource } from "../connector.ts";
import { checkCsv, columnsOfCsv, measureCsv } from "./check.ts";
import { csvConfig } from "./config.ts";
import { csvPosition } from "./position.ts";
import { readCsv } from "./read.ts";

/** Reads CSV files, plain or gzipped, named by a path or a pattern: whole in each run, or what was appended since the last one. */
export const csv = pullSource({
  name: "csv",
  config: csvConfig,
  position: csvPosition,
  read: readCsv,
  restart: (config) => (config.append_only ? "resume" : "each-run"),
  check: checkCsv,
  columns: columnsOfCsv,
  measure: measureCsv,
});
