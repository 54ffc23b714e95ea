import { z } from "zod";

import type { RunReport } from "../../../src/report/report.ts";
import { driveBackfill } from "./drive-backfill.ts";
import { drivePull } from "./drive-pull.ts";
import { driveRun, runIds, type Drive } from "./drive-run.ts";

/** The run that dies: of a sync, of a backfill or of a pull. */
export const crashRun = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("sync"),
    mode: z.enum(["lightweight", "heavyweight"]),
    isHeld: z.boolean().optional(),
  }),
  z.object({ kind: z.literal("backfill"), input: z.looseObject({}) }),
  z.object({ kind: z.literal("pull"), pull: z.string(), reads: z.enum(["domains", "search"]) }),
]);

/** The run that dies: of a sync, of a backfill or of a pull. */
export type CrashRun = z.output<typeof crashRun>;

/** Drives a run to its end, from where the journal ends. */
export async function drive(
  run: CrashRun,
  at: Pick<Drive, "deps" | "journal">,
): Promise<RunReport> {
  if (run.kind === "sync") return await driveRun({ ...at, ...run, run: runIds });
  if (run.kind === "backfill") return await driveBackfill({ ...at, input: run.input });
  return await drivePull({ ...at, ...run });
}
