import { registerBackfill } from "./backfill/backfill.ts";
import { registerPause, registerResume } from "./backfill/pause.ts";
import { registerConnector } from "./connector/connector.ts";
import type { Register } from "./output/context.ts";
import { registerCheck } from "./project/check.ts";
import { registerDiscover } from "./project/discover.ts";
import { registerDoctor } from "./project/doctor.ts";
import { registerInit } from "./project/init.ts";
import { registerSchema } from "./project/schema.ts";
import { registerValidate } from "./project/validate.ts";
import { registerCancel } from "./run/cancel.ts";
import { registerPreview } from "./run/preview.ts";
import { registerPull } from "./run/pull.ts";
import { registerRejects } from "./run/rejects.ts";
import { registerRun } from "./run/run.ts";
import { registerRuns } from "./run/runs.ts";
import { registerSchedule } from "./schedule/schedule.ts";
import { registerDev } from "./serve/dev.ts";
import { registerSandbox } from "./serve/sandbox.ts";
import { registerTemporal } from "./serve/temporal.ts";
import { registerWebhooks } from "./serve/webhooks.ts";
import { registerWorker } from "./serve/worker.ts";
import { registerBudget } from "./status/budget.ts";
import { registerState } from "./status/state.ts";
import { registerStatus } from "./status/status.ts";

/** Every command, in the order of the help. */
export const verbs: readonly Register[] = [
  registerInit,
  registerValidate,
  registerCheck,
  registerDiscover,
  registerPreview,
  registerRun,
  registerBackfill,
  registerPull,
  registerCancel,
  registerPause,
  registerResume,
  registerStatus,
  registerRuns,
  registerRejects,
  registerState,
  registerSchedule,
  registerBudget,
  registerWorker,
  registerWebhooks,
  registerSandbox,
  registerDev,
  registerConnector,
  registerSchema,
  registerDoctor,
  registerTemporal,
];
