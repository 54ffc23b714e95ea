import { postgres } from "../../connectors/postgres/index.ts";
import { conform } from "../../testing/conform.ts";
import { postgresBench } from "./benches/postgres-bench.ts";

// Without a change column every run reads everything, in the order of the key. The connection is that of postgres.test.ts, where ten
// seconds go by before one that does not answer is given up: once is enough.
conform(postgres, await postgresBench({ mayStall: false }));
