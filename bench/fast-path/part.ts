import type { BoundName } from "./bounds.ts";
import type { Figure } from "./verdicts.ts";

/** The input of a part's measurement. */
export type PartInput = {
  /** An empty folder of the part's own, which is removed afterwards. */
  readonly folder: string;
  readonly rows: number;
  readonly rounds: number;
  /** Where DuckDB is installed. */
  readonly duckdb: string;
};

/** The figures of a part. */
export type Figures = Readonly<Partial<Record<BoundName, Figure>>>;

/** A part of the table. */
export type Part = {
  /** Rows, or keys, as promised; `--rows` reduces them. */
  readonly rows: number;
  /** As promised; `--rounds` reduces them. Parts that take many minutes have one. */
  readonly rounds: number;
  readonly measure: (input: PartInput) => Promise<Figures>;
};
