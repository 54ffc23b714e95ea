import { connect, type Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";

import { Pool } from "undici";

import { type Latencies, latenciesOf } from "../latencies.ts";

/** The attack on a receiver, and its size. */
export type AttackSettings = {
  readonly address: URL;
  /** A path of the receiver; deliveries to it are answered 2xx with headers that `sign` made. */
  readonly path: string;
  readonly body: Buffer;
  /** Makes valid headers for a delivery of the body; called for each one, so that none is a repeat. */
  readonly sign: () => Readonly<Record<string, string>>;
  /** Connections that post continuously, one delivery at a time. */
  readonly posters: number;
  /** Connections that send a body byte by byte, and begin again when they are cut off. */
  readonly drippers: number;
  /** The duration of each of the two measurements. */
  readonly seconds: number;
};

/** How deliveries fared before and during the attack. */
export type Attacked = {
  readonly calm: Latencies;
  readonly attacked: Latencies;
  /** Deliveries in both that were not answered 2xx. */
  readonly refused: number;
  /** How often a dripping connection was cut off. */
  readonly cut: number;
};

/** Longest time between two bytes of one dripping connection. */
const dripMs = 500;

/** The dripping connections are opened in this many steps, over this time. */
const openingSteps = 100;
const openingMs = 5_000;

/**
 * Posts to a receiver, first alone, then next to connections that drip, and measures how long answers take
 * (docs/facts/threats.md#t14).
 */
export async function attackReceiver(settings: AttackSettings): Promise<Attacked> {
  const pool = new Pool(settings.address, { connections: settings.posters, pipelining: 1 });
  try {
    // The first seconds would measure the compiler.
    await postFor(pool, { ...settings, seconds: 2 });
    const calm = await postFor(pool, settings);
    const drippers = startDripping(settings);
    // By then the first of them are being cut off, and come back.
    await wait(7_000);
    const attacked = await postFor(pool, settings);
    const cut = drippers.stop();
    return {
      calm: latenciesOf(calm.durations),
      attacked: latenciesOf(attacked.durations),
      refused: calm.refused + attacked.refused,
      cut,
    };
  } finally {
    await pool.close();
  }
}

type Pushed = { readonly durations: readonly number[]; readonly refused: number };

async function postFor(
  pool: Pool,
  { path, body, sign, posters, seconds }: AttackSettings,
): Promise<Pushed> {
  const endMs = performance.now() + seconds * 1_000;
  const durations: number[] = [];
  let refused = 0;
  const poster = async (): Promise<void> => {
    for (let startedMs = performance.now(); startedMs < endMs; startedMs = performance.now()) {
      const answer = await pool.request({ method: "POST", path, body, headers: sign() });
      await answer.body.dump();
      durations.push(performance.now() - startedMs);
      if (answer.statusCode !== 200 && answer.statusCode !== 202) refused += 1;
    }
  };
  await Promise.all(Array.from({ length: posters }, poster));
  return { durations, refused };
}

/** @returns how to stop, and to learn how many connections were cut off. */
function startDripping({ address, path, drippers }: AttackSettings): { stop(): number } {
  const head = `POST ${path} HTTP/1.1\r\nHost: ${address.host}\r\nContent-Length: 10000\r\n\r\n`;
  const sockets = new Set<Socket>();
  let cut = 0;
  let isOver = false;
  const drip = (): void => {
    const socket = connect({ host: address.hostname, port: Number(address.port) });
    sockets.add(socket);
    const dripping = setInterval(() => socket.write(" "), dripMs);
    socket.write(head);
    socket.resume();
    // A reset also counts as being cut off.
    socket.on("error", () => undefined);
    socket.once("close", () => {
      clearInterval(dripping);
      sockets.delete(socket);
      if (isOver) return;
      cut += 1;
      drip();
    });
  };
  // A few at a time: this process posts as well, and opening all at once would measure this process itself.
  let opened = 0;
  const opening = setInterval(() => {
    const upTo = Math.min(drippers, opened + Math.ceil(drippers / openingSteps));
    for (; opened < upTo; opened += 1) drip();
    if (opened === drippers) clearInterval(opening);
  }, openingMs / openingSteps);
  return {
    stop: () => {
      isOver = true;
      clearInterval(opening);
      for (const socket of sockets) socket.destroy();
      return cut;
    },
  };
}
