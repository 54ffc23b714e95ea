import { randomInt } from "node:crypto";

import { areFree } from "../../../src/local/ports.ts";

/** Above what servers commonly listen on, and below what systems draw from for a connection or for port 0. */
const [from, upTo] = [15_000, 30_000];

/**
 * Free ports of 127.0.0.1, all different, that nobody is given by the system while their server is down or
 * not up yet.
 */
export async function keptPorts(count: number): Promise<readonly number[]> {
  for (;;) {
    const ports = new Set<number>();
    while (ports.size < count) ports.add(randomInt(from, upTo));
    if (await areFree("127.0.0.1", [...ports])) return [...ports];
  }
}
