import type { Patch, Written } from "../../../connectors/contract/connector.ts";
import { writePostgres } from "../../../connectors/postgres/write.ts";
import type { JsonValue } from "../../../src/records/json-value.ts";
import { readRequestOf } from "./support.ts";

/** A patch of a row of the table `scores`. */
export function scorePatch(id: JsonValue, fit: JsonValue): Patch {
  return { key: { id }, set: { fit } };
}

/** Writes patches into the table `scores`; `members` are further ones of the connection and `to`. */
export async function writeScores(
  url: string,
  patches: readonly Patch[],
  members: object = {},
): Promise<readonly Written[]> {
  return await writePostgres({ ...readRequestOf(url, { table: "scores", ...members }), patches });
}
