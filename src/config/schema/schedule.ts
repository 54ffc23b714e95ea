import { Cron } from "croner";
import { z } from "zod";

import { timeZoneFault } from "./time-zone.ts";

/** When a sync or pull runs by itself. It does not affect what is sent, so it is not part of `configHash`. */
export type ScheduleConfig = {
  /** Five fields, one space between them; only forms that `isField` accepts. */
  readonly cron: string;
  /** A name of the time zone database: "Europe/Paris". */
  readonly timeZone: string;
};

/** The fields of a cron, in their order. */
const fields = [
  { name: "minute", values: "0 to 59", names: "" },
  { name: "hour", values: "0 to 23", names: "" },
  { name: "day of the month", values: "1 to 31", names: "" },
  {
    name: "month",
    values: "1 to 12 or JAN to DEC",
    names: "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec",
  },
  {
    name: "day of the week",
    values: "0 to 7 or SUN to SAT",
    names: "sun|mon|tue|wed|thu|fri|sat",
  },
];

/** Whether both croner and Temporal read the field; Temporal knows neither L, W, # nor ?. */
function isField(text: string, index: number): boolean {
  const value = ["\\*", "\\d+", fields[index]?.names].filter(Boolean).join("|");
  const item = `(?:${value})(?:-(?:${value}))?(?:/\\d+)?`;
  if (!new RegExp(`^${item}(?:,${item})*$`, "i").test(text)) return false;
  return reads(fields.map((_, place) => (place === index ? text : "*")).join(" "));
}

function reads(cron: string): boolean {
  try {
    return new Cron(cron, { mode: "5-part" }).getPattern() !== undefined;
  } catch {
    return false;
  }
}

/** The fault of a cron, without showing the cron; undefined if there is none. */
function cronFault(text: string): string | undefined {
  const parts = text.split(" ");
  if (parts.length !== fields.length) {
    return "must be five fields: minute, hour, day of the month, month, day of the week, such as 30 2 * * 1-5";
  }
  const wrong = fields.find((_, index) => !isField(parts[index] ?? "", index));
  if (wrong !== undefined) {
    return (
      `its ${wrong.name} must be *, a value, a range or a list of ${wrong.values}, with or without a step ` +
      "such as */2"
    );
  }
  const next = new Cron(text, { mode: "5-part", timezone: "UTC" }).nextRun();
  return next === null ? "never comes: no month has such a day" : undefined;
}

const cron = z
  .string()
  .transform((text) => text.trim().split(/\s+/).join(" "))
  .superRefine((text, context) => {
    const fault = cronFault(text);
    if (fault !== undefined) context.addIssue(fault);
  });

const isGroup = (value: unknown): boolean => typeof value === "object" && value !== null;

/** `schedule:` of a sync or pull: `at` or `cron`, always with a time zone. */
export const scheduleSchema = z
  .strictObject({
    at: z
      .string()
      .regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day such as "02:30"')
      .optional()
      .describe('Every day at this time: "02:30". Either this or cron.'),
    cron: cron
      .optional()
      .describe("Minute, hour, day of the month, month, day of the week. Either this or at."),
    time_zone: z
      .string()
      .superRefine((name, context) => {
        const fault = timeZoneFault(name);
        if (fault !== undefined) context.addIssue(fault);
      })
      .describe("The zone in which these times are read, such as Europe/Paris or UTC."),
  })
  .superRefine(
    (schedule: { at?: unknown; cron?: unknown }, context) => {
      const isBoth = schedule.at !== undefined && schedule.cron !== undefined;
      const isNone = schedule.at === undefined && schedule.cron === undefined;
      if (isBoth) {
        context.addIssue({ code: "custom", path: ["cron"], message: "give at or cron, not both" });
      } else if (isNone) context.addIssue({ code: "custom", message: "give at or cron" });
    },
    { when: ({ value }) => isGroup(value) },
  )
  .transform(({ at, cron: written, time_zone: timeZone }): ScheduleConfig => {
    const [hour, minute] = (at ?? "").split(":").map(Number);
    return { cron: written ?? `${String(minute)} ${String(hour)} * * *`, timeZone };
  })
  .describe("When it runs by itself, from the next `sluice schedule apply` on.");
