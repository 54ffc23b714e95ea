import { isDeepStrictEqual } from "node:util";

import type { SyncConfig } from "../../config/config.ts";
import { fieldsOf, mappingHash } from "../../mapping/load.ts";
import type { KeptMapping } from "../../state/contract/keys/adoptions.ts";
import type { StateClient } from "../../state/state-store.ts";
import { mappingEdit, type MappingEdit, mappingOfText } from "./mapping-edit.ts";

/** How the mapping of a sync compares with the deployed one. */
export type Deployed =
  /** The service has accepted nothing of the sync yet, as far as the store knows. */
  | { readonly state: "none" }
  | { readonly state: "same" }
  /** The same fields in another order, in which a record that has them is another text. */
  | { readonly state: "reordered" }
  /** One of the two is a module, which does not say what it maps. */
  | { readonly state: "other" }
  | { readonly state: "edited"; readonly edit: MappingEdit };

/** A sync whose mappings are compared. */
type Compared = { readonly sync: SyncConfig; readonly target: string };

/** The mapping that made the last accepted staging of a sync, and all that are kept, the last first. */
export async function keptOf(
  state: Pick<StateClient, "keptMappings"> | undefined,
  { sync, target }: Compared,
): Promise<{ readonly deployed: KeptMapping | undefined; readonly all: readonly KeptMapping[] }> {
  const all = (await state?.keptMappings({ target, sync: sync.name })) ?? [];
  return { deployed: all.find(({ deployed }) => deployed > 0), all };
}

/** Compares the mapping of a sync with the one that was deployed at its last run. */
export async function deployedOf(
  state: Pick<StateClient, "keptMappings"> | undefined,
  compared: Compared,
): Promise<Deployed> {
  const { deployed } = await keptOf(state, compared);
  if (deployed === undefined) return { state: "none" };
  const { mapping, written } = deployed;
  const before = written === null ? undefined : mappingOfText(written);
  if (mapping === mappingHash(compared.sync)) {
    const isSame =
      before === undefined || isDeepStrictEqual(fieldsOf(before), fieldsOf(compared.sync));
    return { state: isSame ? "same" : "reordered" };
  }
  const edit = before === undefined ? undefined : mappingEdit(before, compared.sync);
  return edit === undefined ? { state: "other" } : { state: "edited", edit };
}
