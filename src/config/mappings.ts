import { checkMapping } from "../mapping/check-mapping.ts";
import { recordMappingSchema } from "../mapping/schema.ts";
import { streams } from "../records/streams.ts";
import type { Mistake } from "./messages/mistakes.ts";
import { membersOf } from "./schema/members.ts";

/**
 * The mistakes between a sync's `record` and its stream. Takes unchecked data and skips whatever the configuration's
 * own schema refuses, so that one look finds the mistakes of both.
 */
export function mappingMistakes(data: unknown): readonly Mistake[] {
  return Object.entries(membersOf(membersOf(data)["syncs"])).flatMap(([sync, value]) => {
    const members = membersOf(value);
    const stream = streams.find((name) => name === members["stream"]);
    const record = recordMappingSchema.safeParse(members["record"]);
    if (stream === undefined || !record.success) return [];
    return checkMapping(record.data, stream).map(({ path, message }): Mistake => ({
      path: ["syncs", sync, "record", ...path],
      // At the top the field's name does not belong to the stream; deeper down its value is wrong.
      on: path.length === 1 ? "name" : "value",
      message,
    }));
  });
}
