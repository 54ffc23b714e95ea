import { postgres } from "../../connectors/postgres/index.ts";
import { conform } from "../../testing/conform.ts";
import { postgresHarness } from "./harnesses/postgres-harness.ts";

// Without a change column every run reads everything, in the order of the key. A connection that does not answer is
// abandoned after ten seconds: once is enough, and here, because the other harness has more to read.
conform(postgres, await postgresHarness({ cases: "ofServers" }));
