import { ConfigError } from "../errors.ts";

/** The fact of a store or an inbox that says where it was moved to. A store with this fact is no longer used. */
export const movedToName = "moved_to";

/** The fact beside it: the id that the target of the copy had before it. */
export const targetIdName = "moved_to_id";

/** The fact beside it that tells copies apart. */
export const copyIdName = "moved_by";

/** The error of a store that was moved elsewhere. */
export function movedError(where: string, to: string): ConfigError {
  return new ConfigError(`${where} was moved: its project continues in ${to}`, {
    field: "store",
    hint:
      "have sluice.yaml name that one, by `store`, or by none for the state folder, on the host that it was copied " +
      "to; if the copy did not come to its end, run `sluice store copy` to the same place once more",
  });
}
