import { secret } from "sluice/connector";
import { z } from "zod";

/** The members of a connection in sluice.yaml, besides `connector:`. Every member has a description. */
export const config = z.strictObject({
  path: z
    .string()
    .regex(/^(?:\/[\w.-]+)+$/, "must be a path such as /hooks/orders")
    .describe("Where deliveries are pushed: /hooks/orders."),
  // Yours to change: what it takes to believe your sender. `secret()` is never printed, whatever happens.
  secret: secret().describe("What the sender signs with, as it shows it to you."),
});

/** The configuration as sluice hands it over. */
export type Config = z.output<typeof config>;
