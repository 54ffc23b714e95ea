// A worker that kills itself: it drives a run of a pull until the point it was given, or to the run's end.
import { join } from "node:path";

import { z } from "zod";

import { Journal } from "./kill-journal.ts";
import { killingEffect } from "./kill-point.ts";
import { drivePull } from "./kill-pull.ts";
import { openWorker } from "./kill-worker.ts";

const asked = z.object({
  folder: z.string(),
  address: z.string(),
  pull: z.string(),
  walks: z.enum(["domains", "search"]),
  point: z.object({ when: z.enum(["before", "after"]), number: z.int() }),
});

const { folder, address, point, ...which } = asked.parse(JSON.parse(process.argv[2] ?? ""));
const journal = new Journal(join(folder, "journal.jsonl"));
const effect = killingEffect(point, (name) => journal.add({ effect: name }));
const deps = await openWorker({ folder, address, effect });
await drivePull({ ...which, runId: "run-1", deps, journal });
await deps.close();
