import { z } from "zod";

/** A column that holds JSON; null stays null. */
export const jsonColumn = z
  .string()
  .nullable()
  .transform((text): unknown => (text === null ? null : JSON.parse(text)));
