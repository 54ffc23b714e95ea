import { say } from "../report.ts";
import type { Figure } from "./verdicts.ts";

/** The cost of a program from its start to its exit. */
export type Took = { readonly cpuSeconds: number; readonly seconds: number };

/** How often each program runs. */
export type Rounds = {
  readonly rounds: number;
  /** Whether a round that does not count comes first. */
  readonly warmUp: boolean;
};

/** A program's best round, each figure by itself: disturbances can only add to it. */
export function bestOf(rounds: readonly Took[]): Took {
  return {
    cpuSeconds: Math.min(...rounds.map(({ cpuSeconds }) => cpuSeconds)),
    seconds: Math.min(...rounds.map(({ seconds }) => seconds)),
  };
}

/**
 * Runs programs in turn, round by round, in the given order.
 * @returns the best of each
 */
export async function bestInTurn<Name extends string>(
  programs: Readonly<Record<Name, () => Promise<Took>>>,
  { rounds, warmUp }: Rounds,
): Promise<(name: Name) => Took> {
  const took = new Map<Name, Took[]>();
  for (let round = warmUp ? 0 : 1; round <= rounds; round += 1) {
    for (const name in programs) {
      const { cpuSeconds, seconds } = await programs[name]();
      if (round > 0) took.set(name, [...(took.get(name) ?? []), { cpuSeconds, seconds }]);
      const which = round === 0 ? "warm-up" : `round ${round} of ${rounds}`;
      say(`${which}: ${name}: ${cpuSeconds.toFixed(2)} CPU s, ${seconds.toFixed(2)} s`);
    }
  }
  return (name) => bestOf(took.get(name) ?? []);
}

/** One program's figure as a multiple of another's. */
export function ratioOf(one: Took, other: Took, which: keyof Took = "cpuSeconds"): Figure {
  const unit = which === "cpuSeconds" ? "CPU s" : "s";
  return {
    value: one[which] / other[which],
    from: `${one[which].toFixed(3)} ${unit} beside ${other[which].toFixed(3)}`,
  };
}
