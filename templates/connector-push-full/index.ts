import { pushSource } from "sluice/connector";

import { config } from "./config.ts";
import { receive, sign } from "./receive.ts";

/** Takes the events that a sender posts and signs. */
export const source = pushSource({
  name: "connector-name",
  config,
  // Yours to change: how much may come, and how long it is kept. `receive` is never asked about a larger body.
  endpoint: ({ path }) => ({
    path,
    bodyBytesMax: 1_000_000,
    backlogMax: 100_000,
    lingerMs: 2_000,
    retentionMs: 7 * 24 * 3_600_000,
  }),
  receive,
  sign,
});
