import type { Generated } from "kysely";
import type { z } from "zod";

/** A flag: 0 or 1. */
export type FlagColumn = number;

/** JSON as text; null is none. */
export type JsonColumn = string | null;

/** The table whose rows a schema reads: what goes into it. A statement may leave out `Made`, which have a default. */
export type TableOf<Row extends z.ZodType, Made extends keyof z.input<Row> = never> = Omit<
  z.input<Row>,
  Made
> & { readonly [Column in Made]: Generated<z.input<Row>[Column]> };
