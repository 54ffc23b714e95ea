import { mkdir } from "node:fs/promises";
import { join } from "node:path";

import { countApplied, readApplied } from "../../test/chaos/webhooks/applied.ts";
import { WebhookSystem } from "../../test/chaos/webhooks/system.ts";
import { TestTemporal } from "../../test/chaos/world/temporal.ts";
import { until } from "../../test/support/process/process.ts";
import { Poster } from "../../test/support/webhooks/poster.ts";
import { type Latencies, latenciesOf } from "../latencies.ts";

/**
 * Posts events at a steady rate to the whole system, and measures from each 2xx to the service's acceptance
 * of the event, both by this machine's clock; the first two seconds do not count. @throws one was lost,
 * or accepted twice.
 */
export async function measureAcceptance(how: {
  readonly perSecond: number;
  readonly seconds: number;
  readonly folder: string;
}): Promise<Latencies> {
  const { perSecond, seconds } = how;
  const folder = join(how.folder, "acceptance");
  await mkdir(folder);
  await using closing = new AsyncDisposableStack();
  const temporal = closing.adopt(
    await TestTemporal.start(folder),
    async (started) => await started.close(),
  );
  const place = { folder, temporalAddress: temporal.address, queue: "sluice" };
  const system = closing.adopt(
    await WebhookSystem.start(place),
    async (started) => await started.close(),
  );
  const maker = system.maker();
  const warmUp = 2 * perSecond;
  const all = warmUp + seconds * perSecond;
  const make = (number: number): Buffer | undefined =>
    number < all ? maker.make(number) : undefined;
  const poster = new Poster({ port: system.receiverPort, connections: 4, make, perSecond });
  await poster.acknowledges(all).finally(() => poster.close());
  await until(async () => (await countApplied(system.dataFolder)) >= all);
  const applied = await readApplied(system.dataFolder);
  const acceptedAt = new Map(applied.map(({ id, atMs }) => [id, atMs]));
  if (applied.length !== all || acceptedAt.size !== all) {
    throw new Error(`${all} events acknowledged, ${applied.length} accepted`);
  }
  const durations = poster.acknowledgedAt.map(
    (at, number) => (acceptedAt.get(maker.idOf(number)) ?? Number.NaN) - at,
  );
  return latenciesOf(durations.slice(warmUp));
}
