import { randomInt } from "node:crypto";

import { areFree } from "../../../src/local/ports.ts";

/**
 * Above the ports on which servers commonly listen, and below those from which systems draw for a connection or for
 * port 0.
 */
const [from, upTo] = [15_000, 30_000];

/** Free ports of 127.0.0.1, all different, that the system gives to nobody while their server is down or not up yet. */
export async function keptPorts(count: number): Promise<readonly number[]> {
  for (;;) {
    const ports = new Set<number>();
    while (ports.size < count) ports.add(randomInt(from, upTo));
    if (await areFree("127.0.0.1", [...ports])) return [...ports];
  }
}
