import type { Source } from "../../connectors/contract/connector.ts";
import type { PushSource } from "../../connectors/contract/push.ts";
import { pullChecks, pushChecks, trialsOf } from "../../testing/checks/index.ts";
import type { CheckResult } from "../../testing/run.ts";
import { rightBench } from "./right-bench.ts";
import { rightPushBench } from "./right-push.ts";
import { ZooServer } from "./server.ts";

/** What one check says of a connector of the zoo, on a server of its own. */
export async function resultIn(source: Source | PushSource, id: string): Promise<CheckResult> {
  const server = await ZooServer.start();
  try {
    const bench = source.kind === "push" ? rightPushBench() : rightBench(server);
    const trial = trialsOf(source, bench).find((one) => one.id === id);
    if (trial === undefined) throw new RangeError(`there is no check ${id} of ${source.name}`);
    return await trial.run();
  } finally {
    await server.close();
  }
}

/** The checks of such a connector, in their order. */
export function checkIdsOf({ kind }: Source | PushSource): readonly string[] {
  return (kind === "push" ? pushChecks : pullChecks).map(({ id }) => id);
}
