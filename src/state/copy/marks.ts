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
  /** The id of the copy of which the mark is replaced; undefined if there is none. */
  readonly before: string | undefined;
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

/** The part of a mark that says what it is to be set on. */
function foundIn(facts: Facts): Pick<MoveMark, "storeId" | "before"> {
  return { storeId: facts.get("store_id") ?? "", before: facts.get(copyIdName) };
}

/** @throws {BusyError} an end has another store, or another mark, than when its copy began. */
export function refuseOther(name: string, facts: Facts, mark: MoveMark): void {
  const { storeId, before } = foundIn(facts);
  if (storeId !== mark.storeId || before !== mark.before) throw otherCopyError(name);
}

/** The marks of a new copy. */
export function marksOf(
  { from, into }: OfBoth<{ readonly name: string }>,
  facts: OfBoth<Facts>,
): MoveMarks {
  const copyId = randomUUID();
  const [left, filled] = [foundIn(facts.from), foundIn(facts.into)];
  const common = { [targetIdName]: filled.storeId, [copyIdName]: copyId };
  return {
    copyId,
    from: { ...left, facts: { ...common, [movedToName]: into.name } },
    into: { ...filled, facts: { ...common, [movedToName]: from.name } },
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
