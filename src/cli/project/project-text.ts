import { stringify } from "yaml";

import { literal } from "../../config/document/interpolate.ts";
import { recommendedHoldIf } from "../../guardrails/recommended.ts";

/** When a sync is to run by itself. */
export type WantedSchedule = { readonly time_zone: string } & (
  | { readonly at: string }
  | { readonly cron: string }
);

/** The contents of a new `sluice.yaml`. */
export type ProjectPlan = {
  readonly connection: { readonly name: string; readonly connector: string };
  /** The connection's own members: `path`, with `encoding` if that is not UTF-8; or the variable with its `url`. */
  readonly reads:
    | { readonly path: string; readonly encoding?: string | undefined }
    | { readonly variable: string };
  /** The sync as YAML, its name first. */
  readonly sync: string;
  /** What a person should know about the sync: sentences, each on one line. */
  readonly comments: readonly string[];
  readonly schedule: WantedSchedule | undefined;
  /** Whether each run reads the whole source. */
  readonly readsAll: boolean;
};

/** The text of `sluice.yaml`. */
export function configText(plan: ProjectPlan): string {
  const { connection, reads, sync, comments } = plan;
  const lines = [
    "# yaml-language-server: $schema=./sluice.schema.json",
    "# Made by `sluice init`. An editor that reads the schema offers whatever else may be here.",
    "version: 1",
    "api:",
    "  # On this machine the sandbox is used in place of the service: nothing leaves it until these variables are " +
      "set, in the",
    "  # environment or in .env (see .env.example).",
    "  base_url: ${SLUICE_BASE_URL:-sandbox}",
    "  legacy_base_url: ${SLUICE_LEGACY_BASE_URL:-sandbox}",
    "  api_key: ${SLUICE_API_KEY:-sandbox-key}",
    "connections:",
    `  ${connection.name}:`,
    `    connector: ${connection.connector}`,
    ...memberLines(reads).map((line) => `    ${line}`),
    "syncs:",
    ...comments.map((comment) => `  # ${comment}`),
    ...sync
      .trimEnd()
      .split("\n")
      .map((line) => `  ${line}`),
    ...[...scheduleLines(plan.schedule), ...guardrailLines(plan)].map((line) => `    ${line}`),
  ];
  return `${lines.join("\n")}\n`;
}

/** The text of `.env.example`: every variable that the configuration names. */
export function environmentText({ reads }: Pick<ProjectPlan, "reads">): string {
  const lines = [
    "# Copy to .env beside sluice.yaml, and fill in. The environment wins over it; it is never committed.",
    "",
    "# Addresses of the service. Empty, the sandbox is used.",
    "SLUICE_BASE_URL=",
    "SLUICE_LEGACY_BASE_URL=",
    "",
    "# The API key of the service.",
    "SLUICE_API_KEY=",
    ...("variable" in reads
      ? ["", "# postgres://user:password@host:5432/database", `${reads.variable}=`]
      : []),
  ];
  return `${lines.join("\n")}\n`;
}

function memberLines(reads: ProjectPlan["reads"]): readonly string[] {
  if ("variable" in reads) {
    return [
      "# The URL holds a password, so it is in the environment or in .env.",
      `url: \${${reads.variable}}`,
    ];
  }
  const path = stringify(literal(reads.path), { lineWidth: 0, blockQuote: false }).trimEnd();
  return [
    "# Relative to this file; a pattern such as ./exports/*.csv reads several.",
    `path: ${path}`,
    ...(reads.encoding === undefined
      ? []
      : [
          "# It is not UTF-8 but the encoding of Windows, which includes Latin-1.",
          `encoding: ${reads.encoding}`,
        ]),
  ];
}

/** Guardrails of a sync that runs by itself; a run that a person starts is looked at anyway. */
function guardrailLines({ schedule, readsAll }: ProjectPlan): readonly string[] {
  if (schedule === undefined) return [];
  return [
    "# A run beyond one of these waits for `sluice approve`, before anything of it leaves:",
    `hold_if: ${recommendedHoldIf({ readsAll, comparesRecords: true })}`,
  ];
}

function scheduleLines(schedule: WantedSchedule | undefined): readonly string[] {
  const comment = "# When it runs by itself, from `sluice schedule apply` on:";
  if (schedule === undefined) {
    return [comment, '# schedule: { at: "02:30", time_zone: Europe/Paris }'];
  }
  const when =
    "at" in schedule
      ? `at: ${JSON.stringify(schedule.at)}`
      : `cron: ${JSON.stringify(schedule.cron)}`;
  return [comment, `schedule: { ${when}, time_zone: ${schedule.time_zone} }`];
}
