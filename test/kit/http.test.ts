import { describe } from "vitest";

import { http } from "../../connectors/http/index.ts";
import { conform } from "../../testing/conform.ts";
import { httpHarnesses } from "./harnesses/http-harness.ts";

describe.each(await httpHarnesses())("$name", ({ harness }) => {
  conform(http, harness);
});
