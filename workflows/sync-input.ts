import { z } from "zod";

import type { OpenedRun } from "../activities/inputs.ts";
import type { ProgressCounts } from "./progress.ts";

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null;

/** What continue-as-new hands on; nobody types it. */
const continued = z.strictObject({
  run_id: z.string(),
  chunk: z.int().positive(),
  mode: z.strictObject({ mode: z.enum(["lightweight", "heavyweight"]), reason: z.string() }),
  opened: z.custom<OpenedRun>(isObject),
  counts: z.custom<ProgressCounts>(isObject),
});

const syncInput = z.strictObject({
  sync: z.string().regex(/^[a-z][a-z0-9_-]*$/, "the name of a sync in sluice.yaml"),
  mode: z.enum(["auto", "lightweight", "heavyweight"]).optional(),
  full: z.boolean().optional(),
  limit: z.int().positive().optional(),
  dry_run: z.boolean().optional(),
  continued: continued.optional(),
});

/** Input of the workflow `sync`, as a person types it into the Web UI. */
export type SyncInput = z.output<typeof syncInput>;

const example: SyncInput = {
  sync: "accounts",
  mode: "auto",
  full: false,
  limit: 1000,
  dry_run: true,
};
const optional: readonly (keyof SyncInput)[] = ["mode", "full", "limit", "dry_run"];

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

/** Reads a workflow's input, or says what is wrong with it and how it might look. */
export function parseSyncInput(
  raw: unknown,
): { readonly input: SyncInput } | { readonly problem: string } {
  const parsed = syncInput.safeParse(raw ?? {});
  if (parsed.success) return { input: parsed.data };
  const problems = z.prettifyError(parsed.error);
  return {
    problem: `the input of this workflow is wrong:\n${problems}\nTry:\n${JSON.stringify(corrected(raw))}`,
  };
}
