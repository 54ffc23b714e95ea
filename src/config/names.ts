import type { Mistake } from "./messages/mistakes.ts";
import { membersOf } from "./schema/members.ts";

/** The pulls that have the name of a sync: runs and schedules distinguish the two by their names. */
export function nameMistakes(data: unknown): readonly Mistake[] {
  const { syncs, pulls } = membersOf(data);
  const taken = Object.keys(membersOf(pulls)).filter((name) =>
    Object.hasOwn(membersOf(syncs), name),
  );
  const message = "a sync has this name already: runs and schedules are named by it";
  return taken.map((name) => ({ path: ["pulls", name], on: "name", message }));
}
