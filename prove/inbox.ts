import { randomUUID } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import type { Checked } from "../bench/bounds.ts";
import { end, run } from "../bench/child.ts";
import { attackReceiver } from "../bench/inbox/attack.ts";
import { checkReceivers } from "../bench/inbox/bounds.ts";
import { measureAcceptance } from "../bench/inbox/latency.ts";
import { benchConnection, startReceiver } from "../bench/inbox/process.ts";
import { measureReceivers, variants } from "../bench/inbox/rounds.ts";
import { say } from "../bench/report.ts";
import { signedHeaders } from "../test/support/webhooks/signed-delivery.ts";

/** A web form, not a load: a few events a second, whose sender looks for them in the service. */
const trickle = { perSecond: 20, seconds: 60 } as const;

/** The largest median of the time of a trickle's event from its 2xx to the service (issue 6). */
const acceptedMsMax = 1_000;

/** Senders, and slow connections that send a byte now and then (docs/facts/threats.md#t14). */
const attack = { posters: 16, drippers: 1_000, seconds: 15 } as const;

/** The most that such connections may slow down answers to others (issue 6). */
const timesP99Max = 2;

const chaos = fileURLToPath(new URL("../test/chaos/main.ts", import.meta.url));

/**
 * The receiver under load, under kills, with a full disk and without Temporal; and how soon its events are in
 * the service.
 */
export async function proveInbox(
  folder: string,
  { rounds }: { readonly rounds: number },
): Promise<readonly Checked[]> {
  const measured = await measureReceivers({ variants, rounds, folder });
  return [
    ...checkReceivers(measured),
    await proveAttack(folder),
    await proveAcceptance(folder),
    await proveWebhookChaos(folder),
  ];
}

async function proveAttack(parent: string): Promise<Checked> {
  const { posters, drippers, seconds } = attack;
  say(`${drippers} dripping connections beside ${posters} posters`);
  const folder = join(parent, "attack");
  await mkdir(folder);
  const { child, port } = await startReceiver({ kind: "sluice", folder });
  try {
    const { path, secret } = benchConnection;
    const body = Buffer.from(JSON.stringify({ note: "x".repeat(1_000) }));
    const sign = (): Readonly<Record<string, string>> =>
      signedHeaders({ secret, id: randomUUID(), body });
    const address = new URL(`http://127.0.0.1:${port}`);
    const settings = { address, path, body, sign, posters, drippers, seconds };
    const { calm, attacked, refused, cut } = await attackReceiver(settings);
    const times = attacked.p99 / calm.p99;
    return {
      what: `p99 of ${posters} posters while ${drippers} connections drip, times what it is without them`,
      bound: `<= ${timesP99Max}`,
      measured:
        `${times.toFixed(1)} (${calm.p99.toFixed(1)} ms, then ${attacked.p99.toFixed(1)} ms); ` +
        `${refused} of theirs refused, ${cut} drippers cut off`,
      holds: times <= timesP99Max && refused === 0 && cut >= drippers,
    };
  } finally {
    await end(child);
  }
}

async function proveAcceptance(folder: string): Promise<Checked> {
  const { perSecond, seconds } = trickle;
  say(`${perSecond} events a second for ${seconds} s`);
  const { count, p50, p99, max } = await measureAcceptance({ ...trickle, folder });
  return {
    what: `from a 2xx to the service's acceptance, at ${perSecond} events a second (p50 / p99 / max)`,
    bound: `p50 <= ${acceptedMsMax} ms`,
    measured: `${[p50, p99, max].map((ms) => ms.toFixed(0)).join(" / ")} ms, of ${count}`,
    holds: p50 <= acceptedMsMax,
  };
}

/** A seed of the receiver; a failed one leaves its folder in `out`. */
async function proveWebhookChaos(folder: string): Promise<Checked> {
  say("chaos of the receiver");
  const { code, lastLine } = await run([chaos, "--only", "webhooks"], folder);
  return {
    what: "the receiver killed, its disk full, Temporal away for a minute, under 64 posters",
    bound: "every 2xx in the service, each event once",
    measured: lastLine,
    holds: code === 0,
  };
}
