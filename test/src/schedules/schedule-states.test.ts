import type { Client } from "@temporalio/client";
import { expect, it, onTestFinished, vi } from "vitest";

import { scheduleId } from "../../../src/schedules/ids.ts";
import { schedulesDescribedMax } from "../../../src/schedules/limits.ts";
import { applyChange, leftNote, scheduledNames } from "../../../src/schedules/plan.ts";
import { scheduleStates, untilListed, withSince } from "../../../src/schedules/schedule-state.ts";
import { until } from "../../support/process/process.ts";
import { temporaryFolder } from "../../support/process/temporary-folder.ts";
import { ownNamespace } from "../../support/temporal/own-namespace.ts";

const timeoutMs = 120_000;
const owner = { taskQueue: "sluice", storeId: "store-1" };
const many = Array.from({ length: schedulesDescribedMax + 1 }, (_, at) => `sync-${at}`);

const idOf = (name: string): string => scheduleId(owner.taskQueue, name);

/** A client whose server has and lists these schedules, and the ids of the schedules that it describes from then on. */
async function noting(
  names: readonly string[],
): Promise<{ client: Client; asked: () => string[] }> {
  const { client, close } = await ownNamespace(await temporaryFolder());
  onTestFinished(close);
  for (const name of names) await make(client, name);
  await until(async () => (await scheduledNames(client, "sluice")).length === names.length);
  // Each describe call gets its handle here.
  const handles = vi.spyOn(client.schedule, "getHandle");
  return { client, asked: () => handles.mock.calls.map(([id]) => id) };
}

/** The states of schedules, once a busy server has answered for each. */
async function knownStates(
  client: Client,
  names: readonly string[],
): ReturnType<typeof scheduleStates> {
  return await until(async () => {
    const states = await scheduleStates(client, "sluice", names);
    return [...states.values()].some(({ kind }) => kind === "unknown") ? undefined : states;
  });
}

async function make(client: Client, name: string): Promise<void> {
  const schedule = { cron: "30 2 * * *", timeZone: "UTC" };
  const wanted = { name, schedule, workflow: "sync", input: { sync: name } } as const;
  await applyChange(client, { kind: "create", name, wanted }, owner);
}

it(
  "reads many from the list, and asks for those alone that it lacks or that had left the file",
  async () => {
    const { client, asked } = await noting(many);
    const [first = "", second = "", third = ""] = many;
    await client.schedule.getHandle(idOf(first)).pause("migration");
    await untilListed(client, idOf(first), true);
    await client.schedule.getHandle(idOf(second)).pause(leftNote);
    await untilListed(client, idOf(second), true);
    const changed = asked().length;
    const paused = await knownStates(client, many);
    expect(paused.get(first)).toEqual({ kind: "paused", note: "migration" });
    expect(paused.get(second)).toMatchObject({ kind: "paused", note: leftNote });
    expect(new Set(asked().slice(changed))).toEqual(new Set([idOf(second)]));

    await client.schedule.getHandle(idOf(second)).unpause("back");
    await make(client, "new");
    const states = await knownStates(client, [...many, "new", "none"]);
    expect(states.get(second)).toMatchObject({ kind: "on" });
    expect([states.get("new")?.kind, states.get("none")?.kind]).toEqual(["on", "none"]);
    expect([states.size, states.get(third)?.kind]).toEqual([many.length + 2, "on"]);
    expect(asked()).toContain(idOf("none"));
    expect(asked().filter((id) => many.slice(2).map(idOf).includes(id))).toEqual([]);
  },
  timeoutMs,
);

it(
  "asks for each of a few, as what a command just did must show",
  async () => {
    const names = many.slice(0, 2);
    const { client, asked } = await noting(names);
    const [first = ""] = names;
    await client.schedule.getHandle(idOf(first)).pause("migration");
    const changed = asked().length;
    const states = await knownStates(client, names);
    expect(states.get(first)).toMatchObject({ kind: "paused", note: "migration" });
    expect(new Set(asked().slice(changed))).toEqual(new Set(names.map(idOf)));
  },
  timeoutMs,
);

it(
  "asks of many for those alone of which it matters since when they are there",
  async () => {
    const { client, asked } = await noting(many);
    const [first = "", second = ""] = many;
    const states = await knownStates(client, many);
    expect(states.get(first)).toEqual({ kind: "on", note: "" });
    const before = asked().length;
    const names = [first, "none"];
    const dated = await until(async () => {
      const found = await withSince(client, "sluice", { states, names });
      return found.get(first) === states.get(first) ? undefined : found;
    });
    expect(dated.get(first)).toEqual({ kind: "on", note: "", since: expect.any(Date) as unknown });
    expect([dated.get(second), dated.size]).toEqual([states.get(second), many.length]);
    expect(new Set(asked().slice(before))).toEqual(new Set([idOf(first)]));
  },
  timeoutMs,
);

it(
  "says that it does not know, where the server says nothing",
  async () => {
    const { client } = await noting([]);
    await client.connection.close();
    const states = await scheduleStates(client, "sluice", many);
    const unknown = many.map((name) => [name, { kind: "unknown" }] as const);
    expect(states).toEqual(new Map(unknown));
    await untilListed(client, idOf("sync-0"), true);
  },
  timeoutMs,
);

it(
  "waits until the list has a pause, and the end of one",
  async () => {
    const names = many.slice(0, 1);
    const { client } = await noting(names);
    const id = idOf(names[0] ?? "");
    const listed: boolean[] = [];
    const look = async (): Promise<void> => {
      for await (const { state } of client.schedule.list()) listed.push(state.paused);
    };
    for (let time = 0; time < 3; time++) {
      await client.schedule.getHandle(id).pause("migration");
      await untilListed(client, id, true);
      await look();
      await client.schedule.getHandle(id).unpause();
      await untilListed(client, id, false);
      await look();
    }
    expect(listed).toEqual([true, false, true, false, true, false]);
  },
  timeoutMs,
);
