import { registerBackfill } from "./backfill.ts";
import { registerBudget } from "./budget.ts";
import { registerCancel } from "./cancel.ts";
import { registerCheck } from "./check.ts";
import { registerConnector } from "./connector.ts";
import type { Register } from "./context.ts";
import { registerDev } from "./dev.ts";
import { registerDiscover } from "./discover.ts";
import { registerDoctor } from "./doctor.ts";
import { registerInit } from "./init.ts";
import { registerPause, registerResume } from "./pause.ts";
import { registerPreview } from "./preview.ts";
import { registerPull } from "./pull.ts";
import { registerRejects } from "./rejects.ts";
import { registerRun } from "./run.ts";
import { registerRuns } from "./runs.ts";
import { registerSandbox } from "./sandbox.ts";
import { registerSchedule } from "./schedule.ts";
import { registerSchema } from "./schema.ts";
import { registerState } from "./state.ts";
import { registerStatus } from "./status.ts";
import { registerTemporal } from "./temporal.ts";
import { registerValidate } from "./validate.ts";
import { registerWebhooks } from "./webhooks.ts";
import { registerWorker } from "./worker.ts";

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
