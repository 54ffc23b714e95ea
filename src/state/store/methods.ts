import type { Moment } from "../../clock.ts";
import { transactionRowsMax } from "../limits.ts";
import type { Queries, StateDatabase } from "./state-database.ts";

/** Makes a method of a function that only reads. */
export function reads<Input extends readonly unknown[], Result>(
  db: StateDatabase,
  method: (queries: Queries, ...input: Input) => Promise<Result>,
): (...input: Input) => Promise<Result> {
  return async (...input) => await method(db.queries, ...input);
}

/** Makes a method of a function that writes; each call is a transaction of its own. */
export function writes<Input extends readonly unknown[], Result>(
  db: StateDatabase,
  method: (queries: Queries, ...input: Input) => Promise<Result>,
): (...input: Input) => Promise<Result> {
  return async (...input) => await db.write(async (queries) => await method(queries, ...input));
}

/** Makes a method that receives the caller's time use the clock that decides. */
export function byClock<Input extends { readonly now: Moment }, Result>(
  db: StateDatabase,
  method: (queries: Queries, input: Input) => Promise<Result>,
): (queries: Queries, input: Input) => Promise<Result> {
  return async (queries, input) =>
    await method(queries, { ...input, now: await db.now(queries, input.now) });
}

/** Removes rows in transactions of their own, until one removes fewer than `transactionRowsMax`. */
export async function inSteps(
  db: StateDatabase,
  remove: (queries: Queries) => Promise<number>,
): Promise<void> {
  while ((await db.write(remove)) === transactionRowsMax);
}
