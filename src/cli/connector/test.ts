import { once } from "node:events";

import type { Source } from "../../../connectors/contract/connector.ts";
import type { PushSource } from "../../../connectors/contract/push.ts";
import { testRunsOf, type TestRun } from "../../../testing/checks/index.ts";
import { harnessFaultOf } from "../../../testing/harness-fault.ts";
import type { Harness } from "../../../testing/harness.ts";
import type { CheckResult } from "../../../testing/run.ts";
import { didYouMean } from "../../config/messages/did-you-mean.ts";
import { ConfigError } from "../../errors.ts";
import { plainJson, plainText } from "../../text/plain-text.ts";
import type { Context, Register } from "../output/context.ts";
import { exitCodes } from "../output/exit-code.ts";
import { onInterrupt } from "../output/interrupt.ts";
import { endSoon } from "./end-soon.ts";
import { loadPullHarness, loadPushHarness, loadSource } from "./load.ts";

type TestOptions = { readonly only?: readonly string[]; readonly json?: boolean };

/** `sluice connector test <path>`. */
export const registerConnectorTest: Register = (connector, context) => {
  connector
    .command("test <path>")
    .description("look in a connector for the mistakes that lose or repeat rows")
    .option("--only <checks>", "some checks, by their numbers: R4,F2", (text) =>
      text.split(",").map((id) => id.trim().toUpperCase()),
    )
    .option("--json", "print JSON: one object for each check, then the counts")
    .action(async (path: string, options: TestOptions) => {
      try {
        await testConnector(path, options, context);
      } finally {
        endSoon();
      }
    });
};

async function testConnector(path: string, options: TestOptions, context: Context): Promise<void> {
  const at = { path, cwd: context.cwd };
  const source = await loadSource(at);
  const harness = await (source.kind === "push" ? loadPushHarness(at) : loadPullHarness(at));
  const { signal } = onInterrupt();
  try {
    await mustFit(source, harness);
    const testRuns = chosen(testRunsOf(source, harness), options.only);
    await makeTestRuns(testRuns, { context, signal, isJson: options.json === true });
  } finally {
    await harness.close?.();
  }
}

/** @throws {ConfigError} a mistake in the harness would make nearly every check fail. */
async function mustFit(source: PushSource | Source, harness: Harness): Promise<void> {
  const fault = await harnessFaultOf(source, harness);
  if (fault !== undefined) throw new ConfigError(fault.message, { hint: fault.hint });
}

/** @throws {ConfigError} there is no check with one of the numbers. */
function chosen(
  testRuns: readonly TestRun[],
  only: readonly string[] | undefined,
): readonly TestRun[] {
  const ids = testRuns.map(({ id }) => id);
  const unknown = only?.find((id) => !ids.includes(id));
  if (unknown !== undefined) {
    throw new ConfigError(
      `no check for this connector has the number ${unknown}${didYouMean(unknown, ids)}`,
      { hint: `there are ${ids.join(", ")}` },
    );
  }
  return testRuns.filter(({ id }) => only === undefined || only.includes(id));
}

type How = { readonly context: Context; readonly signal: AbortSignal; readonly isJson: boolean };

/** Makes the test runs one after the other, and prints each result at once. */
async function makeTestRuns(testRuns: readonly TestRun[], how: How): Promise<void> {
  const { context, signal, isJson } = how;
  const sinceMs = performance.now();
  const counts = { passed: 0, failed: 0, "not shown": 0 };
  const stopped = once(signal, "abort").then(() => undefined);
  for (const testRun of testRuns) {
    const result = await Promise.race([testRun.run(), stopped]);
    if (result === undefined) {
      context.exit(exitCodes.interrupted);
      return;
    }
    counts[result.state] += 1;
    context.print(isJson ? plainJson(result) : resultText(result));
  }
  const ms = Math.round(performance.now() - sinceMs);
  const { passed, failed, "not shown": notShown } = counts;
  context.print(
    isJson
      ? plainJson({ passed, failed, not_shown: notShown, ms })
      : `${passed} ok, ${failed} failed, ${notShown} not shown, in ${(ms / 1_000).toFixed(1)} s`,
  );
  if (failed > 0) context.exit(exitCodes.failed);
}

const states = { passed: "ok", failed: "FAILED", "not shown": "not shown" } as const;

function resultText({ id, title, state, text }: CheckResult): string {
  const line = `${states[state].padEnd(9)}  ${id.padEnd(3)}  ${title}`;
  return text === "" ? line : `${line}\n${" ".repeat(16)}${plainText(text)}`;
}
