import { z } from "zod";

import type { Effect } from "../../../src/effect.ts";

/** Where a process dies: before or after its n-th effect, whatever its result; counted from 1, 0 is never. */
export const killPoint = z.object({ when: z.enum(["before", "after"]), number: z.int() });

/** A point of `killPoint`. */
export type KillPoint = Readonly<z.output<typeof killPoint>>;

/** An effect that kills its process by SIGKILL, and reports each effect before it begins. */
export function killingEffect(point: KillPoint, told: (name: string) => void): Effect {
  let effects = 0;
  return async (name, work) => {
    effects += 1;
    told(name);
    const isHere = effects === point.number;
    if (isHere && point.when === "before") process.kill(process.pid, "SIGKILL");
    try {
      return await work();
    } finally {
      if (isHere && point.when === "after") process.kill(process.pid, "SIGKILL");
    }
  };
}
