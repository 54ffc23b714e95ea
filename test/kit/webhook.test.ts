import { describe } from "vitest";

import { webhook } from "../../connectors/webhook/index.ts";
import { conform } from "../../testing/conform.ts";
import { webhookBenches } from "./benches/webhook-bench.ts";

describe.each(Object.entries(webhookBenches))("signed: %s", (_, bench) => {
  conform(webhook, bench);
});
