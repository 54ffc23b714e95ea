import type { Client, ScheduleDescription } from "@temporalio/client";
import { InvalidArgumentError } from "commander";

import { targetOf, type Config } from "../../config/config.ts";
import { didYouMean } from "../../config/messages/did-you-mean.ts";
import { ConfigError } from "../../errors.ts";
import { refuseOtherTemporal } from "../../hosts/store-guards.ts";
import { connectTemporal } from "../../local/connect.ts";
import {
  queueNow,
  refuseOtherStore,
  storePlace,
  storesOn,
  temporalIdOf,
} from "../../local/presence.ts";
import { scheduleId } from "../../schedules/ids.ts";
import { resumedNote } from "../../schedules/missed.ts";
import { applyChange, describeSchedule, planSchedules } from "../../schedules/plan.ts";
import { untilListed } from "../../schedules/schedule-state.ts";
import { storeOf, type Owner } from "../../schedules/temporal-schedule.ts";
import { triggerSchedule } from "../../schedules/trigger.ts";
import { wantedSchedules, type Wanted } from "../../schedules/wanted.ts";
import type { StateStore } from "../../state/state-store.ts";
import { plainJson } from "../../text/plain-text.ts";
import { counted } from "../../text/quantities.ts";
import { scheduleNoteCharsMax } from "../limits.ts";
import { isConfirmed } from "../output/confirm.ts";
import { configOf, isAtTerminal, withGlobals, withState } from "../output/context.ts";
import type { Context, GlobalOptions, Register } from "../output/context.ts";
import { exitCodes } from "../output/exit-code.ts";
import { onInterrupt } from "../output/interrupt.ts";
import { outliveReader } from "../output/output.ts";
import { workersAt } from "../running/right-worker.ts";
import { temporalFor } from "../running/session.ts";
import { statusOfWorkers } from "../status/workers.ts";
import { listedSchedules, listText } from "./list.ts";
import { planFacts, schedulePlanText } from "./text.ts";

/** What the verbs work on. */
type At = {
  readonly config: Config;
  readonly client: Client;
  readonly state: StateStore;
  readonly owner: Owner;
  readonly temporalId: string;
};

/** Runs `work` on this project's Temporal; an embedded one runs at least until the work is done. */
async function onTemporal(
  context: Context,
  options: GlobalOptions,
  work: (at: At) => Promise<void>,
): Promise<void> {
  const config = await configOf(context, options);
  await withState(config, async (state) => {
    const temporal = await temporalFor(config, context, state.storeId);
    try {
      const { client, close } = await connectTemporal(temporal.address);
      try {
        const { address } = temporal;
        const temporalId = await temporalIdOf(client);
        await refuseOtherTemporal(config, { state, address, temporalId });
        const owner = { taskQueue: config.temporal.taskQueue, storeId: state.storeId };
        await refuseOtherStore(client, queueNow(config, state), storePlace(config, state));
        if (temporal.isEmbedded && !(await hasWorker({ config, client, state }))) {
          context.say("schedules of an embedded Temporal fire only while `sluice dev` runs");
        }
        await work({ config, client, state, owner, temporalId });
      } finally {
        await close();
      }
    } finally {
      await temporal.release();
    }
  });
}

/** Whether a worker of this project is there to do what a schedule starts. */
async function hasWorker({
  config,
  client,
  state,
}: Pick<At, "client" | "config" | "state">): Promise<boolean> {
  return (await storesOn(client, queueNow(config, state))).includes(state.storeId);
}

/** Says which workers would fail what these schedules start, or do it otherwise than the file says. */
async function sayWhoIsBehind(
  at: At,
  context: Pick<Context, "say">,
  wanted: readonly Wanted[],
): Promise<void> {
  const named = (which: "pull" | "sync", name: string): boolean =>
    wanted.some(({ input }) => Reflect.get(input, which) === name);
  const { syncs, pulls } = at.config;
  const config = {
    ...at.config,
    syncs: new Map([...syncs].filter(([name]) => named("sync", name))),
    pulls: new Map([...pulls].filter(([name]) => named("pull", name))),
  };
  for (const line of statusOfWorkers(await workersAt(at), config).behind) context.say(line);
}

/** What the file schedules under that name. @throws {ConfigError} nothing; the message lists what there is. */
function wantedNamed(config: Config, name: string): Wanted {
  const all = wantedSchedules(config);
  const found = all.find((wanted) => wanted.name === name);
  if (found !== undefined) return found;
  const names = all.map((wanted) => wanted.name);
  throw new ConfigError(`${config.file} schedules no "${name}"${didYouMean(name, names)}`, {
    hint:
      names.length === 0
        ? "give a sync or pull a `schedule:`"
        : `what it schedules: ${names.join(", ")}`,
  });
}

/** The schedule that Temporal has under that name. @throws {ConfigError} there is none, or it is another project's. */
async function appliedNamed(
  { client, config, owner }: At,
  name: string,
): Promise<ScheduleDescription> {
  const { taskQueue, storeId } = owner;
  const found = await describeSchedule(client, scheduleId(taskQueue, name));
  if (found !== undefined && storeOf(found) === storeId) return found;
  if (found !== undefined) {
    throw new ConfigError(`another project made the schedule of "${name}" on ${taskQueue}`, {
      hint: "give this project a temporal.task_queue of its own; `sluice schedule apply` takes it over",
    });
  }
  // `apply` brings only what the file schedules.
  wantedNamed(config, name);
  throw new ConfigError(`Temporal has no schedule for "${name}"`, {
    hint: "`sluice schedule apply` brings it there; `sluice schedule list` shows what is",
  });
}

type ApplyOptions = GlobalOptions & { readonly yes?: boolean };

async function apply(at: At, context: Context, options: ApplyOptions): Promise<void> {
  const { client, config, owner, state } = at;
  const now = new Date(state.now());
  const plan = await planSchedules(client, wantedSchedules(config), owner);
  const count = plan.changes.length;
  outliveReader(); // else no change is made once nobody reads the plan
  if (!options.json) context.print(schedulePlanText(plan, now));
  const canAsk = !options.json && isAtTerminal(context);
  const question = `make ${count === 1 ? "this change" : `these ${count} changes`}? [y/N] `;
  const asked = options.yes !== true && count > 0;
  const interrupted = asked && canAsk ? onInterrupt() : undefined;
  const answer = interrupted === undefined ? !asked : await isConfirmed(question, interrupted);
  const agreed = answer === true;
  for (const [made, change] of (agreed ? plan.changes : []).entries()) {
    if (interrupted?.signal.aborted === true) {
      context.say(`interrupted: made ${made} of ${count} changes; the same command makes the rest`);
      return context.exit(exitCodes.interrupted);
    }
    await applyChange(client, change, owner);
  }
  if (options.json) context.print(plainJson({ ...planFacts(plan, now), applied: agreed }));
  else if (agreed && count > 0) context.say(`made ${counted(count, "change")}`);
  if (agreed) return await sayWhoIsBehind(at, context, wantedSchedules(config));
  if (canAsk) {
    context.say("nothing was changed");
    context.exit(answer === undefined ? exitCodes.interrupted : exitCodes.failed);
    return;
  }
  throw new ConfigError("nothing was changed: without a terminal to ask at, apply needs --yes", {
    hint: "look at the changes, then `sluice schedule apply --yes`",
  });
}

async function trigger(at: At, context: Context, name: string): Promise<string> {
  const wanted = wantedNamed(at.config, name);
  const { scheduleId: id } = await appliedNamed(at, name);
  const workflowId = await triggerSchedule(at.client, id);
  if (!(await hasWorker(at))) {
    context.say("no worker of this project polls the task queue: the run waits for one");
  }
  await sayWhoIsBehind(at, context, [wanted]);
  return workflowId;
}

/** Reads a reason from the command line. @throws {InvalidArgumentError} it is too long. */
function reason(text: string): string {
  if (text.length <= scheduleNoteCharsMax) return text;
  throw new InvalidArgumentError(`must be ${scheduleNoteCharsMax} characters at most`);
}

type PauseOptions = GlobalOptions & { readonly reason?: string };

async function pause(at: At, name: string, why: string | undefined): Promise<string> {
  const { client, owner, state } = at;
  const { scheduleId: id } = await appliedNamed(at, name);
  const since = `since ${new Date(state.now()).toISOString().slice(0, 16)}Z`;
  await client.schedule
    .getHandle(id)
    .pause(why === undefined ? `${since} by hand` : `${since}: ${why}`);
  await untilListed(client, id, true);
  return `paused ${name} on ${owner.taskQueue}`;
}

async function resume(at: At, name: string): Promise<string> {
  wantedNamed(at.config, name);
  const { scheduleId: id, state } = await appliedNamed(at, name);
  if (!state.paused) return `${name} is not paused`;
  await at.client.schedule.getHandle(id).unpause(resumedNote(new Date(at.state.now()), state.note));
  await untilListed(at.client, id, false);
  return `resumed ${name}`;
}

/** `sluice schedule apply|list|trigger|pause|resume`. */
export const registerSchedule: Register = (program, context) => {
  const schedule = program.command("schedule").description("what runs by itself, and when");
  withGlobals(schedule.command("apply"))
    .description("make Temporal's schedules those of sluice.yaml; shows the changes first")
    .option("--yes", "make them without asking")
    .action(async (options: ApplyOptions) => {
      await onTemporal(context, options, async (at) => await apply(at, context, options));
    });
  withGlobals(schedule.command("list"), "lines")
    .description("the schedules, when they come next and what their last runs did")
    .action(async (options: GlobalOptions) => {
      await onTemporal(context, options, async (at) => {
        const listed = await listedSchedules(
          { ...at, target: targetOf(at.config.api) },
          wantedSchedules(at.config),
          new Date(at.state.now()),
        );
        if (!options.json) context.print(listText(listed));
        else for (const one of listed) context.print(plainJson(one));
      });
    });
  withGlobals(schedule.command("trigger <name>"))
    .description("start the run of a sync or pull now, as its schedule would")
    .action(async (name: string, options: GlobalOptions) => {
      await onTemporal(context, options, async (at) => {
        const workflowId = await trigger(at, context, name);
        context.print(options.json ? JSON.stringify({ workflow_id: workflowId }) : workflowId);
      });
    });
  withGlobals(schedule.command("pause <name>"))
    .description("let no run begin by itself until it is resumed; one that runs continues")
    .option(
      "--reason <text>",
      "why; shown by `schedule list` and in the report of the next run",
      reason,
    )
    .action(async (name: string, options: PauseOptions) => {
      await onTemporal(context, options, async (at) => {
        const told = await pause(at, name, options.reason);
        context.print(options.json ? JSON.stringify({ name, paused: true }) : told);
      });
    });
  withGlobals(schedule.command("resume <name>"))
    .description("let it run by itself again")
    .action(async (name: string, options: GlobalOptions) => {
      await onTemporal(context, options, async (at) => {
        const told = await resume(at, name);
        context.print(options.json ? JSON.stringify({ name, paused: false }) : told);
      });
    });
};
