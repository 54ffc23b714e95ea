import type { BoundName } from "./bounds.ts";
import type { Figure } from "./verdicts.ts";

/** How a part is measured. */
export type PartInput = {
  /** An empty folder of the part's own, which is removed afterwards. */
  readonly folder: string;
  readonly rows: number;
  readonly rounds: number;
  /** Where DuckDB is installed. */
  readonly duckdb: string;
};

/** What a part measured. */
export type Figures = Readonly<Partial<Record<BoundName, Figure>>>;

/** A part of the table. */
export type Part = {
  /** Rows, or keys, as promised; `--rows` makes them fewer. */
  readonly rows: number;
  /** As promised; `--rounds` makes them fewer. What takes many minutes has one. */
  readonly rounds: number;
  readonly measure: (input: PartInput) => Promise<Figures>;
};
