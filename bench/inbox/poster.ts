// Posts signed deliveries of 1 KiB to a receiver on 64 keep-alive connections, and prints the measurements as
// its last line:
//     node bench/inbox/poster.ts --port 8090 --path /hooks/bench --secret whsec_… --warm-up 20000 --deliveries 100000
// A process of its own. It makes all deliveries before the clock starts, because it shares the cores with the receiver.
import { parseArgs } from "node:util";

import { z } from "zod";

import { Poster } from "../../test/support/webhooks/poster.ts";
import { DeliveryMaker } from "../../test/support/webhooks/signed-delivery.ts";
import { type Latencies, latenciesOf } from "../latencies.ts";

const connections = 64;

/** The output of this program. */
export type Pushed = {
  /** Deliveries acknowledged after the warm-up, and how long that took. */
  readonly deliveries: number;
  readonly seconds: number;
  readonly latencies: Latencies;
  /** User and system time after the warm-up. */
  readonly cpuSeconds: number;
};

const text = { type: "string" } as const;
const { values } = parseArgs({
  options: { port: text, path: text, secret: text, "warm-up": text, deliveries: text },
});
const settings = z
  .object({
    port: z.coerce.number(),
    path: z.string(),
    secret: z.string(),
    "warm-up": z.coerce.number(),
    deliveries: z.coerce.number(),
  })
  .parse(values);
const { port, path, secret, deliveries, "warm-up": warmUp } = settings;

const maker = new DeliveryMaker({ path, secret, name: "bench" });
const made = Array.from({ length: warmUp + deliveries }, (_, number) => maker.make(number));
const poster = new Poster({ port, connections, make: (number) => made[number] });
await poster.acknowledges(warmUp);
const measuredFrom = poster.latenciesMs.length;
const startedMs = performance.now();
const cpuBefore = process.cpuUsage();
await poster.acknowledges(warmUp + deliveries);
const seconds = (performance.now() - startedMs) / 1_000;
const { user, system } = process.cpuUsage(cpuBefore);
const latencies = latenciesOf(poster.latenciesMs.slice(measuredFrom));
await poster.finish();
const pushed: Pushed = { deliveries, seconds, latencies, cpuSeconds: (user + system) / 1e6 };
console.log(JSON.stringify(pushed));
