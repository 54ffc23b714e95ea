import { collectDefaultMetrics, Registry } from "prom-client";

let registry: Registry | undefined;

/**
 * Metrics of the Node process itself: processor time, memory, descriptors, delay of the event loop. One registry for
 * the process, because each watches the event loop with a timer that never ends.
 */
export function nodeMetrics(): Registry {
  if (registry === undefined) {
    registry = new Registry();
    collectDefaultMetrics({ register: registry });
  }
  return registry;
}
