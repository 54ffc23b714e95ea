import { SeededRandom } from "../seeded-random.ts";
import { heartbeatTimeoutMs } from "../world/project.ts";

/**
 * What happens to a host: `kill-worker` restarts it with its disk, `lose-worker` without; `stop-worker` is SIGSTOP, and
 * SIGCONT after twice the heartbeat timeout; `kill-postgres` is kill -9, and a restart; `cut-from-store` and
 * `cut-from-temporal` silence a worker's connections to the server for a time, after which they are cut.
 */
export type HostFault =
  | "cut-from-store"
  | "cut-from-temporal"
  | "kill-postgres"
  | "kill-receiver"
  | "kill-worker"
  | "lose-worker"
  | "stop-worker";

/** A fault, and the host it hits: once this many more deliveries are acknowledged, and this long after that. */
export type HostInjection = {
  readonly fault: HostFault;
  readonly host: number;
  readonly acknowledged: number;
  readonly laterMs: number;
  /** How long the connection is silent: shorter or longer than the time after which a silent host counts as lost. */
  readonly silentMs: number;
};

/** Everything that a seed of several hosts decides. */
export type HostsPlan = {
  readonly seed: number;
  readonly injections: readonly HostInjection[];
  /** How many hours the clock of each worker is ahead, and the clock of the receiver with its number. */
  readonly clockHours: readonly number[];
};

/** Workers and receivers, each a host of its own. */
export const [workersOfHosts, receiversOfHosts] = [3, 2];

/** The faults that hit the hosts in every seed, besides the kills of receivers: each once, in an order of its own. */
export const otherFaults: readonly HostFault[] = [
  "kill-postgres",
  "kill-worker",
  "lose-worker",
  "stop-worker",
  "cut-from-store",
  "cut-from-temporal",
];

/** After this time the hosts of a plan count as lost. */
export const hostLostAfterMs = 25_000;

const silences = [2 * heartbeatTimeoutMs, hostLostAfterMs + 2 * heartbeatTimeoutMs] as const;

/** Draws a plan with this many kills of receivers in total, in turn. */
export function hostsPlanOf({
  seed,
  kills,
}: {
  readonly seed: number;
  readonly kills: number;
}): HostsPlan {
  const random = new SeededRandom(seed);
  const places = otherFaults.map((fault) => ({ fault, at: random.whole(fault, 0, kills - 1) }));
  const faults = Array.from({ length: kills }, (_, index) => index).flatMap((index) => [
    { fault: "kill-receiver" as const, host: index % receiversOfHosts },
    ...places
      .filter(({ at }) => at === index)
      .map(({ fault }) => ({ fault, host: random.whole(`host ${fault}`, 0, workersOfHosts - 1) })),
  ]);
  return {
    seed,
    injections: faults.map((injected, index) => ({
      ...injected,
      acknowledged: random.whole(`acknowledged ${index}`, 1, 100),
      laterMs: random.whole(`later ${index}`, 0, 50),
      silentMs: random.pick(`silent ${index}`, silences),
    })),
    clockHours: Array.from({ length: workersOfHosts }, (_, host) =>
      host === 0 ? 0 : random.whole(`clock ${host}`, 1, 8) * (host % 2 === 0 ? -1 : 1),
    ),
  };
}
