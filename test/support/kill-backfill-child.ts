// A worker that kills itself: it drives a backfill until the point it was given, or to its end.
import { join } from "node:path";

import { z } from "zod";

import { driveBackfill } from "./kill-backfill.ts";
import { Journal } from "./kill-journal.ts";
import { killingEffect } from "./kill-point.ts";
import { openWorker } from "./kill-worker.ts";

const asked = z.object({
  folder: z.string(),
  address: z.string(),
  input: z.looseObject({}),
  point: z.object({ when: z.enum(["before", "after"]), number: z.int() }),
});

const { folder, address, input, point } = asked.parse(JSON.parse(process.argv[2] ?? ""));
const journal = new Journal(join(folder, "journal.jsonl"));
const effect = killingEffect(point, (name) => journal.add({ effect: name }));
const deps = await openWorker({ folder, address, effect });
await driveBackfill({ input, deps, journal });
await deps.close();
