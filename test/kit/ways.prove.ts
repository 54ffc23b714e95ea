import { describe } from "vitest";

import { http } from "../../connectors/http/index.ts";
import { jsonl } from "../../connectors/jsonl/index.ts";
import { conform } from "../../testing/conform.ts";
import { httpHarnesses } from "./harnesses/http-harness.ts";
import { jsonlHarness } from "./harnesses/jsonl-harness.ts";

// The other ways in which a connector reads; the first of each is in the file of its name.
describe.each((await httpHarnesses()).slice(1))("$name", ({ harness }) => {
  conform(http, harness);
});

describe("jsonl read whole in each run", async () => {
  conform(jsonl, await jsonlHarness(false));
});
