import { postgres } from "../../connectors/postgres/index.ts";
import { conform } from "../../testing/conform.ts";
import { postgresBench } from "./benches/postgres-bench.ts";

const changed_by = { column: "changed", overlap: 0 };

// Without an overlap nothing but the horizon finds what is committed late.
conform(
  postgres,
  await postgresBench({ from: { changed_by }, mayStall: false, specimens: "ofRows" }),
);
