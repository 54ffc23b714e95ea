import type { Source } from "../../connectors/contract/connector.ts";
import type { PushSource } from "../../connectors/contract/push.ts";
import { pullChecks, pushChecks, testRunsOf } from "../../testing/checks/index.ts";
import type { CheckResult } from "../../testing/run.ts";
import { rightHarness } from "./right-harness.ts";
import { rightPushHarness } from "./right-push.ts";
import { SampleServer } from "./server.ts";

/** The result of one check on a broken connector, on a server of its own. */
export async function resultIn(source: Source | PushSource, id: string): Promise<CheckResult> {
  const server = await SampleServer.start();
  try {
    const harness = source.kind === "push" ? rightPushHarness() : rightHarness(server);
    const testRun = testRunsOf(source, harness).find((one) => one.id === id);
    if (testRun === undefined) throw new RangeError(`there is no check ${id} of ${source.name}`);
    return await testRun.run();
  } finally {
    await server.close();
  }
}

/** The checks of such a connector, in their order. */
export function checkIdsOf({ kind }: Source | PushSource): readonly string[] {
  return (kind === "push" ? pushChecks : pullChecks).map(({ id }) => id);
}
