import { jsonl } from "../../connectors/jsonl/index.ts";
import { conform } from "../../testing/conform.ts";
import { jsonlHarness } from "./harnesses/jsonl-harness.ts";

// The harness of a file that is read whole in each run has the cases.
conform(jsonl, await jsonlHarness(false));
