// A worker that kills itself: it drives a run up to a given point, or to the run's end.
import { flushCompileCache } from "node:module";

import { z } from "zod";

import { crashRun, drive } from "./drive.ts";
import { killingEffect, killPoint } from "./kill-point.ts";
import { schemaPlace, storeVariable } from "./store-place.ts";
import { journalIn, openWorker } from "./worker.ts";

// Killed processes leave no compiled code behind, and compiling takes longer than the run.
flushCompileCache();

const asked = z.object({
  folder: z.string(),
  address: z.string(),
  run: crashRun,
  point: killPoint,
});

const { folder, address, run, point } = asked.parse(JSON.parse(process.argv[2] ?? ""));
const place = process.env[storeVariable];
const store = place === undefined ? undefined : schemaPlace.parse(JSON.parse(place));
const journal = journalIn(folder);
const effect = killingEffect(point, (name) => journal.add({ effect: name }));
const deps = await openWorker({ folder, address, effect, store });
await drive(run, { deps, journal });
await deps.close();
