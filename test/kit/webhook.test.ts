import { describe } from "vitest";

import { webhook } from "../../connectors/webhook/index.ts";
import { conform } from "../../testing/conform.ts";
import { webhookHarnesses } from "./harnesses/webhook-harness.ts";

describe.each(Object.entries(webhookHarnesses))("signed: %s", (_, harness) => {
  conform(webhook, harness);
});
