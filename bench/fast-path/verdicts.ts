import type { Bound } from "./bounds.ts";

/** The measured value of a bound. */
export type Figure = {
  readonly value: number;
  /** Its parts: "3.21 s beside 8.10 s". */
  readonly from: string;
};

/** The verdict on a figure. */
export type BoundVerdict = "aim reached" | "holds" | "broken";

/** Checks a figure against its bound; NaN breaks it. */
export function judgeFigure(bound: Pick<Bound, "aim" | "must">, value: number): BoundVerdict {
  if (value <= bound.aim) return "aim reached";
  return value <= bound.must ? "holds" : "broken";
}

/** Four digits: measurements are not more certain, and sizes are exact. */
function shown(value: number, unit: Bound["unit"]): string {
  const digits = Math.abs(value) >= 1000 ? value.toFixed(0) : Number(value.toPrecision(4));
  return unit === "" ? `${digits}` : `${digits} ${unit}`;
}

/** The cells of a table of bounds: its head, and a line for each bound. */
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
