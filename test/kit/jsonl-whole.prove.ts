import { jsonl } from "../../connectors/jsonl/index.ts";
import { conform } from "../../testing/conform.ts";
import { jsonlHarness } from "./harnesses/jsonl-harness.ts";

// A file that is read whole in each run: that is the one with the cases.
conform(jsonl, await jsonlHarness(false));
