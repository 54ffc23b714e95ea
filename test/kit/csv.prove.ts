import { csv } from "../../connectors/csv/index.ts";
import { conform } from "../../testing/conform.ts";
import { csvHarness } from "./harnesses/csv-harness.ts";

conform(csv, await csvHarness({ hasCases: true }));
