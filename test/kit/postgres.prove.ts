import { postgres } from "../../connectors/postgres/index.ts";
import { conform } from "../../testing/conform.ts";
import { postgresHarness } from "./harnesses/postgres-harness.ts";

const changed_by = { column: "changed", overlap: 0 };

// Without an overlap, only the read limit finds rows that are committed late.
conform(
  postgres,
  await postgresHarness({ from: { changed_by }, mayStall: false, cases: "ofRows" }),
);
