import { onTestFinished } from "vitest";

import type { Pull, Row, Source } from "../../connectors/contract/connector.ts";
import type { PullBench } from "../../testing/bench.ts";
import type { Check } from "../../testing/check.ts";
import { runCheck, type CheckResult } from "../../testing/run.ts";
import { Subject } from "../../testing/subject.ts";
import { rightBench } from "../zoo/right-bench.ts";
import type { ZooConfig, ZooPosition } from "../zoo/right-connection.ts";
import { rightSource } from "../zoo/right.ts";
import { ZooServer } from "../zoo/server.ts";

/** The members in which a connector differs from the right one. */
export type Changes = Partial<Pull<ZooConfig, ZooPosition, Row>>;

/** What a check is tried on, as far as it is not right. */
export type Wrong = {
  readonly changes?: Changes;
  readonly bench?: Partial<PullBench>;
  /** Members that the connector or its bench does not have. */
  readonly without?: readonly (keyof Source | keyof PullBench)[];
};

/** What one of these checks says of a connector, on a server of its own. */
export async function resultOf(
  checks: readonly Check[],
  id: string,
  wrong: Wrong = {},
): Promise<CheckResult> {
  const server = await ZooServer.start();
  onTestFinished(async () => await server.close());
  const check = checks.find((one) => one.id === id);
  if (check === undefined) throw new Error(`no check is called ${id}`);
  const source = { ...rightSource(wrong.changes) };
  const bench = { ...rightBench(server), ...wrong.bench };
  for (const member of wrong.without ?? []) {
    Reflect.deleteProperty(source, member);
    Reflect.deleteProperty(bench, member);
  }
  return await runCheck(check, new Subject(source, bench));
}
