import { describe } from "vitest";

import { http } from "../../connectors/http/index.ts";
import { conform } from "../../testing/conform.ts";
import { httpHarnesses } from "./harnesses/http-harness.ts";

// The other ways of reading; the first is in the file of its name.
describe.each((await httpHarnesses()).slice(1))("$name", ({ harness }) => {
  conform(http, harness);
});
