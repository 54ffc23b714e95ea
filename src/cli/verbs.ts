import type { Register } from "./output/context.ts";

type Load = () => Promise<Register>;

/** The loaders of the verbs' code, by the heading of a group and the name, in the order of the help. */
export const verbGroups: Readonly<Record<string, Readonly<Record<string, Load>>>> = {
  "Start:": {
    init: async () => (await import("./project/init.ts")).registerInit,
    validate: async () => (await import("./project/validate.ts")).registerValidate,
    check: async () => (await import("./project/check.ts")).registerCheck,
    discover: async () => (await import("./project/discover.ts")).registerDiscover,
    preview: async () => (await import("./run/preview.ts")).registerPreview,
    test: async () => (await import("./test/test.ts")).registerTest,
  },
  "Run:": {
    plan: async () => (await import("./plan/plan.ts")).registerPlan,
    run: async () => (await import("./run/run.ts")).registerRun,
    backfill: async () => (await import("./backfill/backfill.ts")).registerBackfill,
    pull: async () => (await import("./run/pull.ts")).registerPull,
    approve: async () => (await import("./run/approve.ts")).registerApprove,
    discard: async () => (await import("./run/approve.ts")).registerDiscard,
    cancel: async () => (await import("./run/cancel.ts")).registerCancel,
    pause: async () => (await import("./backfill/pause.ts")).registerPause,
    resume: async () => (await import("./backfill/pause.ts")).registerResume,
  },
  "Look:": {
    status: async () => (await import("./status/status.ts")).registerStatus,
    runs: async () => (await import("./run/runs.ts")).registerRuns,
    explain: async () => (await import("./run/explain.ts")).registerExplain,
    verify: async () => (await import("./verify/verify.ts")).registerVerify,
    ui: async () => (await import("./ui/ui.ts")).registerUi,
  },
  "Fix:": {
    rejects: async () => (await import("./run/rejects.ts")).registerRejects,
    state: async () => (await import("./status/state.ts")).registerState,
    forget: async () => (await import("./forget/forget.ts")).registerForget,
    doctor: async () => (await import("./project/doctor.ts")).registerDoctor,
  },
  "Operate:": {
    schedule: async () => (await import("./schedule/schedule.ts")).registerSchedule,
    worker: async () => (await import("./serve/worker.ts")).registerWorker,
    store: async () => (await import("./status/store.ts")).registerStore,
    webhooks: async () => (await import("./serve/webhooks.ts")).registerWebhooks,
    "rate-limit": async () => (await import("./status/rate-limit.ts")).registerRateLimit,
  },
  "Develop:": {
    dev: async () => (await import("./serve/dev.ts")).registerDev,
    sandbox: async () => (await import("./serve/sandbox.ts")).registerSandbox,
    connector: async () => (await import("./connector/connector.ts")).registerConnector,
    schema: async () => (await import("./project/schema.ts")).registerSchema,
    completion: async () => (await import("./completion/completion.ts")).registerCompletion,
    temporal: async () => (await import("./serve/temporal.ts")).registerTemporal,
  },
};
