import { z } from "zod";

import type { OpenedRun } from "../../activities/inputs.ts";
import { foreignRun, wordingOfInput, wrongInput } from "../../src/failure-types.ts";
import { nameCharsMax } from "../../src/limits.ts";
import type { ProgressCounts } from "./progress.ts";

/** Whether it may be an object that a workflow passed to itself, whose content nothing else checks. */
export const isObject = (value: unknown): boolean => typeof value === "object" && value !== null;

/** A run that continues, as continue-as-new passes it on; nobody types it. */
export const continuedRun = z.strictObject({
  run_id: z.string(),
  chunk: z.int().positive(),
  /** Absent until there was something to send. */
  mode: z
    .strictObject({ mode: z.enum(["lightweight", "heavyweight"]), reason: z.string() })
    .optional(),
  opened: z.custom<OpenedRun>(isObject),
  counts: z.custom<ProgressCounts>(isObject),
  /** For a run that stages everything before it sends. */
  weighed: z
    .strictObject({
      phase: z.enum(["stage", "send"]),
      first_staged: z.int().positive().optional(),
      /** Counts of what is committed. */
      committed: z.custom<ProgressCounts>(isObject),
    })
    .optional(),
});

/** Characters of a run's id: its sync, a time, and part of a workflow's. */
const runIdCharsMax = nameCharsMax + 32;

/** The name of a sync or connection in `sluice.yaml`. */
export function configuredName(what: "connection" | "sync"): z.ZodString {
  const message = `the name of a ${what} in sluice.yaml`;
  return z
    .string()
    .max(nameCharsMax, message)
    .regex(/^[a-z][a-z0-9_-]*$/, message);
}

const syncInput = z
  .strictObject({
    sync: configuredName("sync"),
    mode: z.enum(["auto", "lightweight", "heavyweight"]).optional(),
    full: z.boolean().optional(),
    limit: z.int().positive().optional(),
    /** Reads the rejects of a run again instead of the source; with `code`, only the rejects of that code. */
    replay: z
      .strictObject({
        run: z.string().min(1).max(runIdCharsMax),
        code: z.string().min(1).max(nameCharsMax).optional(),
      })
      .optional(),
    continued: continuedRun.optional(),
  })
  .refine(
    ({ replay, full, limit }) =>
      replay === undefined || [full, limit].every((member) => member === undefined),
    { path: ["replay"], message: "goes with `mode` alone" },
  );

/** A run that an earlier execution began, and that continues. */
export type ContinuedRun = z.output<typeof continuedRun>;

/** Input of the workflow `sync`, as a person types it into the Web UI. */
export type SyncInput = z.output<typeof syncInput>;

const example: SyncInput = {
  sync: "accounts",
  mode: "auto",
  full: false,
  limit: 1000,
};
const optional: readonly (keyof SyncInput)[] = ["mode", "full", "limit"];

/** The input again, with every wrong member left out or replaced: a whole object to paste. */
function corrected(raw: unknown): SyncInput {
  const given: Readonly<Record<string, unknown>> = z.looseObject({}).safeParse(raw).data ?? {};
  const isRight = (name: keyof SyncInput): boolean =>
    given[name] !== undefined && syncInput.shape[name].safeParse(given[name]).success;
  const sync = isRight("sync") ? String(given["sync"]) : example.sync;
  const members = optional.filter((name) => name in given);
  const values = members.map(
    (name) => [name, isRight(name) ? given[name] : example[name]] as const,
  );
  return Object.assign({ sync }, Object.fromEntries<unknown>(values));
}

/**
 * A run's id: its sync, its start in UTC, and the last 8 characters of the workflow's first run id (the first ones
 * encode the time). The many runs of a drain are distinguished by the milliseconds.
 */
export function newRunId(
  syncName: string,
  workflow: { readonly startTime: Date; readonly firstExecutionRunId: string },
  isOneOfMany = false,
): string {
  const [date = "", time = ""] = workflow.startTime.toISOString().slice(0, 23).split("T");
  const digits = time.replaceAll(/[:.]/g, "").slice(0, isOneOfMany ? 9 : 6);
  const stamp = `${date.replaceAll("-", "")}-${digits}`;
  return `${syncName}-${stamp}-${workflow.firstExecutionRunId.slice(-8)}`;
}

/**
 * Whether a workflow that claims to continue a run of that name made that run itself. Temporal draws its first run id
 * when it starts, so that nobody can type one that fits: otherwise the Web UI could end any run, or have files outside
 * the staging folder removed.
 */
export function isRunOf(
  name: string,
  {
    run_id: runId,
    opened,
  }: { readonly run_id: string; readonly opened: { readonly runId: string } },
  firstExecutionRunId: string,
): boolean {
  const stamp = runId.slice(name.length, -8);
  const isOwn = runId.startsWith(name) && runId.endsWith(firstExecutionRunId.slice(-8));
  return isOwn && /^-\d{8}-\d{6}(?:\d{3})?-$/.test(stamp) && opened.runId === runId;
}

function isOwnRun({ sync, continued: handedOn }: SyncInput, firstExecutionRunId: string): boolean {
  return handedOn === undefined || isRunOf(sync, handedOn, firstExecutionRunId);
}

/**
 * Reads a workflow's input, or says what is wrong with it and how it might look, in a short text, however long the
 * input. `firstExecutionRunId` is the workflow's own.
 */
export function parseSyncInput(
  raw: unknown,
  firstExecutionRunId: string,
): { readonly input: SyncInput } | { readonly problem: string } {
  const parsed = syncInput.safeParse(raw ?? {}, { error: wordingOfInput });
  if (parsed.success && isOwnRun(parsed.data, firstExecutionRunId)) return { input: parsed.data };
  return { problem: wrongInput(parsed.error ?? foreignRun, corrected(raw)) };
}
