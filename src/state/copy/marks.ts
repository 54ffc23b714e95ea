import { randomUUID } from "node:crypto";

import { BusyError } from "../../errors.ts";
import { copyIdName, movedToName, targetIdName } from "../moved.ts";

/** Something of the source and of the target of a copy. */
export type OfBoth<Value> = { readonly from: Value; readonly into: Value };

/** The facts of an end, read before anything is written. */
export type Facts = ReadonlyMap<string, string>;

/** What a copy writes into one of its ends first. */
export type MoveMark = {
  /** The id of the store that is marked: it has another one once a copy into it was made. */
  readonly storeId: string;
  readonly facts: Readonly<Record<string, string>> & {
    /** Where the project is, or is to continue. */
    readonly [movedToName]: string;
    /** The id of the target's store before the copy. */
    readonly [targetIdName]: string;
    readonly [copyIdName]: string;
  };
};

/** The marks of a copy, and its id. */
export type MoveMarks = OfBoth<MoveMark> & { readonly copyId: string };

function storeIdOf(facts: Facts): string {
  return facts.get("store_id") ?? "";
}

/** The marks of a new copy. */
export function marksOf(
  { from, into }: OfBoth<{ readonly name: string }>,
  facts: OfBoth<Facts>,
): MoveMarks {
  const copyId = randomUUID();
  const common = { [targetIdName]: storeIdOf(facts.into), [copyIdName]: copyId };
  return {
    copyId,
    from: { storeId: storeIdOf(facts.from), facts: { ...common, [movedToName]: into.name } },
    into: { storeId: storeIdOf(facts.into), facts: { ...common, [movedToName]: from.name } },
  };
}

/** The SQL condition of the facts of a mark. */
export const isOfMark = `name in ('${movedToName}', '${targetIdName}', '${copyIdName}')`;

/** The error of a copy that meets another one at one of its ends. */
export function otherCopyError(name: string): BusyError {
  return new BusyError(`${name}: another copy is being made, or was made meanwhile`, {
    hint: "wait until `sluice store copy` has ended everywhere, and run it once more",
  });
}
