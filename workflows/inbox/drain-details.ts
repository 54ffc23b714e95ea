import { fenced } from "../sync/progress.ts";
import type { Rest } from "./drain-input.ts";

/** Current details of a drain that waits because syncs rest. */
export function restDetails(connection: string, rests: ReadonlyMap<string, Rest>): string {
  const each = [...rests].flatMap(([sync, { until, why }]) => [
    `${sync} rests until ${new Date(until).toISOString()}:`,
    fenced(why),
  ]);
  return [`### ${connection}: waiting`, ...each].join("\n\n");
}

/** Current details of a drain that ends because nothing can be sent. */
export function shutDetails(connection: string, why: string): string {
  return [`### ${connection}: nothing can be sent`, fenced(why)].join("\n\n");
}
