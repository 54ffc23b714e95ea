// A worker that kills itself: it drives a run until the point it was given, or to the run's end.
import { join } from "node:path";

import { z } from "zod";

import { crashRun, driveRun } from "./kill-drive.ts";
import { Journal } from "./kill-journal.ts";
import { killingEffect } from "./kill-point.ts";
import { openWorker } from "./kill-worker.ts";

const asked = z.object({
  folder: z.string(),
  address: z.string(),
  mode: z.enum(["lightweight", "heavyweight"]),
  point: z.object({ when: z.enum(["before", "after"]), number: z.int() }),
});

const { folder, address, mode, point } = asked.parse(JSON.parse(process.argv[2] ?? ""));
const journal = new Journal(join(folder, "journal.jsonl"));
const effect = killingEffect(point, (name) => journal.add({ effect: name }));
const deps = await openWorker({ folder, address, effect });
await driveRun({ run: crashRun, mode, deps, journal });
await deps.close();
