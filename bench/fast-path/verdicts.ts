import type { Bound } from "./bounds.ts";

/** What was measured of a bound. */
export type Figure = {
  readonly value: number;
  /** What it was made of: "3.21 s beside 8.10 s". */
  readonly from: string;
};

/** What a figure says of its bound. */
export type BoundVerdict = "aim reached" | "holds" | "broken";

/** Holds a figure against its bound; one that is no number breaks it. */
export function judgeFigure(bound: Pick<Bound, "aim" | "must">, value: number): BoundVerdict {
  if (value <= bound.aim) return "aim reached";
  return value <= bound.must ? "holds" : "broken";
}

/** Four digits: what is measured is not surer, and sizes are exact. */
function shown(value: number, unit: Bound["unit"]): string {
  const digits = Math.abs(value) >= 1000 ? value.toFixed(0) : Number(value.toPrecision(4));
  return unit === "" ? `${digits}` : `${digits} ${unit}`;
}

/** The cells of a table of bounds: its head, and a line for each. */
export function boundRows(
  measured: readonly { readonly bound: Bound; readonly figure: Figure }[],
): string[][] {
  const lines = measured.map(({ bound, figure }) => {
    const verdict = judgeFigure(bound, figure.value);
    return [
      bound.what,
      `<= ${shown(bound.must, bound.unit)}`,
      `<= ${shown(bound.aim, bound.unit)}`,
      shown(figure.value, bound.unit),
      figure.from,
      verdict === "broken" ? "**broken**" : verdict,
    ];
  });
  return [["what", "must", "aim", "measured", "of which", ""], ...lines];
}
