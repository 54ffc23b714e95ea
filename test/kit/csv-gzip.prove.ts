import { csv } from "../../connectors/csv/index.ts";
import { conform } from "../../testing/conform.ts";
import { csvBench } from "./benches/csv-bench.ts";

conform(csv, await csvBench({ isGzip: true }));
