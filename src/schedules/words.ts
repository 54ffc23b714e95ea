import cronstrue from "cronstrue";

import type { ScheduleConfig } from "../config/schema/schedule.ts";

/** A schedule in words: `At 02:30, every day (Europe/Paris)`. */
export function scheduleWords({ cron, timeZone }: ScheduleConfig): string {
  const words = cronstrue.toString(cron, { use24HourTimeFormat: true, verbose: true });
  return `${words} (${timeZone})`;
}
