import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { runWebhookSeed } from "../../chaos/webhooks/webhooks.ts";

describe("npm run chaos -- --only webhooks", () => {
  it(
    "has every 2xx in the service, and each event once, after three kills of the receiver and a " +
      "full disk",
    async () => {
      const said: string[] = [];
      const out = await mkdtemp(join(tmpdir(), "sluice-chaos-out-"));
      const say = (text: string): number => said.push(text);
      const { violations, endured } = await runWebhookSeed({
        seed: 3,
        kills: 3,
        awayMs: 0,
        out,
        say,
      });
      expect(violations.length > 0 ? said : []).toEqual([]);
      // The folder of a red seed stays, because the printed message names it.
      await rm(out, { recursive: true });
      expect(endured?.counts.unanswered).toBeGreaterThan(0);
      expect(endured?.counts.refused).toBeGreaterThan(0);
    },
    240_000,
  );
});
