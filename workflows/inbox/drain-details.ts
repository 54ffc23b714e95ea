import { fenced } from "../sync/progress.ts";
import type { Backoff } from "./drain-input.ts";

/** Current details of a drain that waits because syncs back off. */
export function backoffDetails(connection: string, backoffs: ReadonlyMap<string, Backoff>): string {
  const each = [...backoffs].flatMap(([sync, { until, why }]) => [
    `${sync} backs off until ${new Date(until).toISOString()}:`,
    fenced(why),
  ]);
  return [`### ${connection}: waiting`, ...each].join("\n\n");
}

/** Current details of a drain that ends because nothing can be sent. */
export function blockedDetails(connection: string, why: string): string {
  return [`### ${connection}: nothing can be sent`, fenced(why)].join("\n\n");
}
