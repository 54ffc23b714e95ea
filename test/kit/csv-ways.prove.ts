import { describe } from "vitest";

import { csv } from "../../connectors/csv/index.ts";
import { conform } from "../../testing/conform.ts";
import { csvHarness } from "./harnesses/csv-harness.ts";

// The other ways of reading; the one with the cases is in the file of its name.
describe.each([{ isAppendOnly: true }, { isGzip: true }])("%j", async (way) => {
  conform(csv, await csvHarness(way));
});
