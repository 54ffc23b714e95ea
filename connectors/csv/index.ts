import { pullSource } from "../contract/connector.ts";
import { beforeCsv } from "./before.ts";
import { checkCsv, columnsOfCsv, measureCsv, whyNoCellsOfCsv } from "./check.ts";
import { csvConfig } from "./config.ts";
import { discoverCsv } from "./discover.ts";
import { getCsv } from "./get.ts";
import { splitCsv } from "./parse/split.ts";
import { csvPosition } from "./position.ts";
import { readCsv } from "./read.ts";
import { writeCsv } from "./write.ts";

/**
 * Reads CSV files, plain or gzipped, named by a path or a pattern: whole in each run, or what was appended
 * since the last one. Writes back into a file beside them.
 */
export const csv = pullSource({
  name: "csv",
  config: csvConfig,
  position: csvPosition,
  read: readCsv,
  placesAreLines: true,
  restart: (config) => (config.append_only ? "resume" : "each-run"),
  check: checkCsv,
  columns: columnsOfCsv,
  whyNoCells: whyNoCellsOfCsv,
  measure: measureCsv,
  before: beforeCsv,
  split: splitCsv,
  get: getCsv,
  discover: discoverCsv,
  write: writeCsv,
});
