import { jsonl } from "../../connectors/jsonl/index.ts";
import { conform } from "../../testing/conform.ts";
import { jsonlHarness } from "./harnesses/jsonl-harness.ts";

conform(jsonl, await jsonlHarness(true));
