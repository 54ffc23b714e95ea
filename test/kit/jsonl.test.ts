import { describe } from "vitest";

import { jsonl } from "../../connectors/jsonl/index.ts";
import { conform } from "../../testing/conform.ts";
import { jsonlHarness } from "./harnesses/jsonl-harness.ts";

const cases = [
  { name: "read whole in each run", harness: await jsonlHarness(false) },
  { name: "append-only", harness: await jsonlHarness(true) },
];

describe.each(cases)("$name", ({ harness }) => {
  conform(jsonl, harness);
});
