import { describe } from "vitest";

import { jsonl } from "../../connectors/jsonl/index.ts";
import { conform } from "../../testing/conform.ts";
import { jsonlBench } from "./benches/jsonl-bench.ts";

const cases = [
  { name: "read whole in each run", bench: await jsonlBench(false) },
  { name: "append-only", bench: await jsonlBench(true) },
];

describe.each(cases)("$name", ({ bench }) => {
  conform(jsonl, bench);
});
