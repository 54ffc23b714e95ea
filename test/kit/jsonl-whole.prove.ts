import { jsonl } from "../../connectors/jsonl/index.ts";
import { conform } from "../../testing/conform.ts";
import { jsonlHarness } from "./harnesses/jsonl-harness.ts";

// Read whole in each run; append-only is in jsonl.test.ts.
conform(jsonl, await jsonlHarness(false));
