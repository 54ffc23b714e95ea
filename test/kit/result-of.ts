import { onTestFinished } from "vitest";

import type { Pull, Row, Source } from "../../connectors/contract/connector.ts";
import type { Check } from "../../testing/check.ts";
import type { PullHarness } from "../../testing/harness.ts";
import { runCheck, type CheckResult } from "../../testing/run.ts";
import { Subject } from "../../testing/subject.ts";
import type { SampleConfig, SamplePosition } from "../broken-connectors/right-connection.ts";
import { rightHarness } from "../broken-connectors/right-harness.ts";
import { rightSource } from "../broken-connectors/right.ts";
import { SampleServer } from "../broken-connectors/server.ts";

/** The members in which a connector differs from the right one. */
export type Changes = Partial<Pull<SampleConfig, SamplePosition, Row>>;

/** How the connector and harness under check differ from the right ones. */
export type Wrong = {
  readonly changes?: Changes;
  readonly harness?: Partial<PullHarness>;
  /** Members that the connector or its harness does not have. */
  readonly without?: readonly (keyof Source | keyof PullHarness)[];
};

/** The result of one of these checks for a connector, on a server of its own. */
export async function resultOf(
  checks: readonly Check[],
  id: string,
  wrong: Wrong = {},
): Promise<CheckResult> {
  const server = await SampleServer.start();
  onTestFinished(async () => await server.close());
  const check = checks.find((one) => one.id === id);
  if (check === undefined) throw new Error(`no check is called ${id}`);
  const source = { ...rightSource(wrong.changes) };
  const harness = { ...rightHarness(server), ...wrong.harness };
  for (const member of wrong.without ?? []) {
    Reflect.deleteProperty(source, member);
    Reflect.deleteProperty(harness, member);
  }
  return await runCheck(check, new Subject(source, harness));
}
