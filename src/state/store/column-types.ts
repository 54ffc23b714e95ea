import type { Generated } from "kysely";
import type { z } from "zod";

/** A flag: 0 or 1. */
export type FlagColumn = number;

/** JSON as text, or null. */
export type JsonColumn = string | null;

/** What is written to the table whose rows a schema reads. A statement may leave out `Made`, which have a default. */
export type TableOf<Row extends z.ZodType, Made extends keyof z.input<Row> = never> = Omit<
  z.input<Row>,
  Made
> & { readonly [Column in Made]: Generated<z.input<Row>[Column]> };
