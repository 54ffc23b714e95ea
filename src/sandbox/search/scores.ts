import { Draws } from "./draws.ts";

type Score = { readonly score: number; readonly segment: string };

/** The scores of a result (docs/facts/service.md#scores). */
export type Scores = {
  readonly customer_fit: Score & { readonly signals: string };
  readonly likelihood_to_buy: Score;
};

const signals = [
  "✓ Grows faster than its market",
  "✓ Uses a product like ours",
  "✓ Is of the right size",
  "✓ Hires in engineering",
] as const;

/** The scores of an id, integers from 0 to 100, derived from the id alone. */
export function scoresOf(id: string): Scores {
  const draws = new Draws(`scores ${id}`);
  const fit = draws.below(101);
  const likelihood = draws.below(101);
  const count = Math.floor(fit / 25);
  return {
    customer_fit: { ...scored(fit), signals: signals.slice(0, count).join("\n") },
    likelihood_to_buy: scored(likelihood),
  };
}

function scored(score: number): Score {
  const segment = score < 25 ? "low" : score < 50 ? "medium" : score < 75 ? "good" : "very good";
  return { score, segment };
}
