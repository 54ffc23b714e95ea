import { pullSource } from "../contract/connector.ts";
import { pagePosition } from "../paging/position.ts";
import { checkHttp } from "./check.ts";
import { httpConfig } from "./config.ts";
import { listOf } from "./pages.ts";
import { readHttp } from "./read.ts";

/** Reads a list from a JSON API: what changed since the last run, or without a change column all of it in each run. */
export const http = pullSource({
  name: "http",
  config: httpConfig,
  position: pagePosition,
  isOf: ({ config, position }) => position.of === listOf(config).of,
  restart: ({ changed_by: changedBy }) => (changedBy === undefined ? "each-run" : "resume"),
  read: readHttp,
  check: checkHttp,
});
