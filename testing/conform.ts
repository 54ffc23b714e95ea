import { afterAll, assert, beforeAll, describe, it } from "vitest";

import type { Source } from "../connectors/contract/connector.ts";
import type { PushSource } from "../connectors/contract/push.ts";
import { testRunsOf } from "./checks/index.ts";
import { harnessFaultOf } from "./harness-fault.ts";
import type { Harness } from "./harness.ts";

/** How long vitest waits beyond a check's own time, which ends it with a better message. */
const graceMs = 10_000;

/**
 * Declares the tests of a connector, one for each check of the kit; call it at the top of a test file or in a
 * `describe`. The harness is closed after the last of them.
 */
export function conform(source: Source | PushSource, harness: Harness): void {
  describe(`connector ${source.name}`, () => {
    beforeAll(async () => {
      const fault = await harnessFaultOf(source, harness);
      assert(fault === undefined, `${fault?.message} → ${fault?.hint}`);
    });
    afterAll(async () => await harness.close?.());
    for (const { id, title, msMax, run } of testRunsOf(source, harness)) {
      it(`${id} ${title}`, { timeout: msMax + graceMs }, async ({ skip }) => {
        const { state, text } = await run();
        if (state === "not shown") skip(`not shown: ${text}`);
        assert(state === "passed", text);
      });
    }
  });
}
