import { Counter, Gauge, Histogram, Registry } from "prom-client";

import { nodeMetrics } from "../metrics/node-metrics.ts";
import type { BacklogWatch } from "./backlog-watch.ts";

/** The metrics of a receiver, and their text as Prometheus reads it. */
export type ReceiverMetrics = {
  readonly contentType: string;
  /** Counters of one connection. */
  connection(name: string): ConnectionMetrics;
  /** Counts a request that belongs to no connection. */
  refusedElsewhere(reason: string): void;
  text(): Promise<string>;
};

/** The counters of one connection. */
export type ConnectionMetrics = {
  received(): void;
  refused(reason: string): void;
  /** Counts a delivery that was answered 2xx, `seconds` after its head had arrived. */
  acknowledged(input: {
    readonly kept: number;
    readonly duplicates: number;
    readonly seconds: number;
  }): void;
};

/** The `connection` of a request that belongs to none; no connection can have this name. */
const elsewhere = "-";

const ackSecondsBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Makes the metrics of one receiver. */
export function createMetrics(
  watch: BacklogWatch,
  connections: readonly string[],
): ReceiverMetrics {
  const register = new Registry();
  const registers = [register];
  const counters = countersIn(registers);
  addGauges({ registers, watch, connections });
  const all = Registry.merge([register, nodeMetrics()]);
  return {
    contentType: register.contentType,
    connection: (connection) => {
      // A counter that was never touched is not shown, so no rate can be computed from it.
      counters.received.inc({ connection }, 0);
      counters.kept.inc({ connection }, 0);
      counters.duplicates.inc({ connection }, 0);
      const received = counters.received.labels(connection);
      const kept = counters.kept.labels(connection);
      const duplicates = counters.duplicates.labels(connection);
      const ackSeconds = counters.ackSeconds.labels(connection);
      return {
        received: () => received.inc(),
        refused: (reason) => counters.refused.inc({ connection, reason }),
        acknowledged: (delivery) => {
          kept.inc(delivery.kept);
          duplicates.inc(delivery.duplicates);
          ackSeconds.observe(delivery.seconds);
        },
      };
    },
    refusedElsewhere: (reason) => counters.refused.inc({ connection: elsewhere, reason }),
    text: async () => await all.metrics(),
  };
}

function countersIn(registers: Registry[]) {
  return {
    received: new Counter({
      name: "sluice_webhook_received_total",
      help: "Deliveries that came to a connection, refused ones included.",
      labelNames: ["connection"],
      registers,
    }),
    refused: new Counter({
      name: "sluice_webhook_refused_total",
      help: 'Requests that were not taken, by reason; connection "-" is not one of ours.',
      labelNames: ["connection", "reason"],
      registers,
    }),
    duplicates: new Counter({
      name: "sluice_webhook_duplicates_total",
      help: "Events that had been kept before.",
      labelNames: ["connection"],
      registers,
    }),
    kept: new Counter({
      name: "sluice_webhook_kept_events_total",
      help: "Events that were kept.",
      labelNames: ["connection"],
      registers,
    }),
    ackSeconds: new Histogram({
      name: "sluice_webhook_ack_seconds",
      help: "From a delivery's head to its answer, of those answered 2xx.",
      labelNames: ["connection"],
      buckets: ackSecondsBuckets,
      registers,
    }),
  };
}

function addGauges(input: {
  readonly registers: Registry[];
  readonly watch: BacklogWatch;
  readonly connections: readonly string[];
}): void {
  const { registers, watch, connections } = input;
  const perConnection = (
    name: string,
    help: string,
    read: (connection: string) => number,
  ): void => {
    const gauge: Gauge<"connection"> = new Gauge({
      name,
      help,
      labelNames: ["connection"],
      registers,
      collect: () => {
        for (const connection of connections) gauge.set({ connection }, read(connection));
      },
    });
  };
  perConnection(
    "sluice_webhook_backlog",
    "Events that wait until every sync has sent them.",
    (connection) => watch.waiting(connection),
  );
  perConnection(
    "sluice_webhook_oldest_age_seconds",
    "Age of the oldest of them; 0 for none.",
    (connection) => watch.oldestMs(connection) / 1_000,
  );
  const storeUp: Gauge = new Gauge({
    name: "sluice_webhook_store_up",
    help: "1 while the inbox can be written.",
    registers,
    collect: () => storeUp.set(watch.isStoreOk ? 1 : 0),
  });
}
