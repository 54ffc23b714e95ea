import { describe } from "vitest";

import { http } from "../../connectors/http/index.ts";
import { conform } from "../../testing/conform.ts";
import { httpBenches } from "./benches/http-bench.ts";

describe.each(await httpBenches())("$name", ({ bench }) => {
  conform(http, bench);
});
