/** A flag: 0 or 1. */
export type FlagColumn = number;

/** JSON as text; null is none. */
export type JsonColumn = string | null;
