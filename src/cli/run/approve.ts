import type { Client } from "@temporalio/client";

import type { Config } from "../../config/config.ts";
import { ConfigError } from "../../errors.ts";
import { type Hold, openHold } from "../../state/contract/runs/holds.ts";
import type { Run } from "../../state/contract/runs/runs.ts";
import type { StateStore } from "../../state/state-store.ts";
import { outcomeText } from "../../text/outcome-text.ts";
import { configOf, withGlobals, withState } from "../output/context.ts";
import type { Context, GlobalOptions, Register } from "../output/context.ts";
import { exitCodes } from "../output/exit-code.ts";
import { onInterrupt } from "../output/interrupt.ts";
import { followToEnd, type DriveOptions } from "../running/drive.ts";
import type { RunWorkflow } from "../running/follow.ts";
import { openSession } from "../running/session.ts";
import { tellRun } from "../running/tell-run.ts";
import { noRun, runNamed } from "./run-named.ts";
import { runnableSync, whatNotesEnd, whyUnsendable } from "./unsendable.ts";

/** A held run, and what it is held for. */
type Held = { readonly run: Run; readonly hold: Hold };

/** The held run of that id. @throws {ConfigError} there is none, or it is not held; the message says its state. */
async function heldNamed(state: StateStore, name: string): Promise<Held> {
  const run = await runNamed(state, name);
  if (run === undefined) throw noRun(name);
  const hold = openHold(run);
  if (hold !== undefined) return { run, hold };
  const how = run.outcome === null ? "it continues" : `it has ended as ${outcomeText(run.outcome)}`;
  throw new ConfigError(`run ${run.runId} is not held: ${how}`, {
    hint: `look at \`sluice runs show ${run.runId}\``,
  });
}

/** @throws {ConfigError} the records were staged for another service, or the sync is configured otherwise now. */
function assertSendable(config: Config, { run }: Held): void {
  const unsendable = whyUnsendable(config, run);
  if (unsendable === undefined) return;
  const { why, hint } = unsendable;
  throw new ConfigError(`run ${run.runId} was not sent: ${why}`, { hint });
}

/** Sends the answer to the workflow of a held run; `noting`: what notes its end if that is gone. */
async function tell(
  client: Client,
  { run, hold: { number, digest } }: Held,
  { name, noting }: { readonly name: "approve" | "discard"; readonly noting: string },
): Promise<void> {
  const { runId } = run;
  const input = name === "approve" ? { hold: number, digest } : undefined;
  const ended = new ConfigError(`run ${runId} is not held any more: its workflow has ended`, {
    hint: `look at \`sluice runs list\`; where it says held, ${noting} notes its end`,
  });
  await tellRun(client, run, { name, input, what: `run ${runId}`, ended });
}

/** Everything is read already. */
async function noShare(): Promise<undefined> {
  return undefined;
}

type AnswerOptions = GlobalOptions & DriveOptions;

/** Answers a held run, and follows it to its end. */
async function answer(
  context: Context,
  named: string,
  { name, options }: { readonly name: "approve" | "discard"; readonly options: AnswerOptions },
): Promise<void> {
  const config = await configOf(context, options);
  const held = await withState(config, async (state) => await heldNamed(state, named));
  const isSent = name === "approve";
  if (isSent) assertSendable(config, held);
  const { run } = held;
  const { signal } = onInterrupt();
  // A worker with another configuration would fail an approved run, but can end a discarded one.
  const wanted = isSent ? [{ kind: "sync", name: run.sync } as const] : [];
  // Nothing of a discarded run is sent, so it needs no service.
  const how = { signal, isPinged: isSent, wanted, command: name };
  const session = await openSession(config, context, how);
  if (session === undefined) {
    context.say(`interrupted before the run heard of it: it is held as before`);
    return context.exit(exitCodes.interrupted);
  }
  try {
    const { workflowId, firstRunId } = run;
    const at = { firstExecutionRunId: firstRunId };
    await tell(session.client, held, { name, noting: whatNotesEnd(runnableSync(config, run)) });
    context.say(
      isSent ? `approved ${run.runId}` : `discarded ${run.runId}: nothing more of it is sent`,
    );
    if (!options.wait && session.hasLastingWorker) return;
    // The answer has been given, so the command that continues with the run is another.
    const again = `\`sluice run ${run.sync}\``;
    const own = isSent ? context : { ...context, exit: () => undefined };
    const handle = session.client.workflow.getHandle<RunWorkflow>(workflowId, undefined, at);
    await followToEnd(
      session,
      { handle, share: noShare },
      { context: own, options, signal, again, isSent },
    );
  } finally {
    await session.close();
  }
}

function register(name: "approve" | "discard", description: string): Register {
  return (program, context) => {
    withGlobals(program.command(`${name} <run>`))
      .description(description)
      .option("--no-wait", "say so, and leave the run to the worker")
      .action(async (named: string, options: AnswerOptions) => {
        await answer(context, named, { name, options });
      });
  };
}

/** `sluice approve <run>`. */
export const registerApprove: Register = register(
  "approve",
  "send what a run has staged that a guardrail holds",
);

/** `sluice discard <run>`. */
export const registerDiscard: Register = register(
  "discard",
  "end a run that a guardrail holds; nothing more of it is sent",
);
