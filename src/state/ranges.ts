import { z } from "zod";

/** A column of `Ranges`. */
export const ranges = z.array(z.tuple([z.int(), z.int()]).readonly()).readonly();

/** Records of a staged file, `[from, to)` pairs in order. */
export type Ranges = z.output<typeof ranges>;
