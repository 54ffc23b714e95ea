import { checkMapping } from "../mapping/check-mapping.ts";
import { recordMappingSchema } from "../mapping/schema.ts";
import { streams } from "../records/streams.ts";
import type { Mistake } from "./messages/mistakes.ts";
import { membersOf } from "./schema/members.ts";

/**
 * What is wrong between the `record` of a sync and its stream. Takes data that nothing has checked and passes
 * over what the configuration's own schema refuses, so that one look finds the mistakes of both.
 */
export function mappingMistakes(data: unknown): readonly Mistake[] {
  return Object.entries(membersOf(membersOf(data)["syncs"])).flatMap(([sync, value]) => {
    const members = membersOf(value);
    const stream = streams.find((name) => name === members["stream"]);
    const record = recordMappingSchema.safeParse(members["record"]);
    if (stream === undefined || !record.success) return [];
    return checkMapping(record.data, stream).map(({ path, message }): Mistake => ({
      path: ["syncs", sync, "record", ...path],
      // A field's own name is what does not belong to the stream; deeper down it is what the field is given.
      on: path.length === 1 ? "name" : "value",
      message,
    }));
  });
}
