import type { z } from "zod";

import { CoercionRefusal } from "../mapping/refusal.ts";
import { isPlainObject, jsonFaultOf } from "./json-value.ts";
import type { JsonFault } from "./json-value.ts";
import type { RecordFault } from "./reject-codes.ts";
import { recordSchemas } from "./schemas.ts";
import { shapeOf } from "./streams.ts";
import type { Stream, StreamRecord } from "./streams.ts";

const jsonReasons: Readonly<Record<JsonFault, string>> = {
  lone_surrogate: "holds half of a Unicode surrogate pair, which UTF-8 cannot carry",
  not_json:
    "holds what JSON cannot carry: NaN, Infinity, a bigint, a function, an object of a class, or undefined in a list",
  too_deep: "is nested too deeply, or contains itself",
};

/** Makes the check of a stream's records; undefined means that a record may be sent as `JSON.stringify` writes it. */
export function validateRecord(stream: Stream): (record: StreamRecord) => RecordFault | undefined {
  const schema = recordSchemas[stream];
  return (record) => {
    const result = schema.safeParse(record);
    if (result.success) return undefined;
    const issue = result.error.issues[0];
    return issue === undefined ? undefined : faultOf({ stream, record, issue });
  };
}

function faultOf(found: {
  readonly stream: Stream;
  readonly record: StreamRecord;
  readonly issue: z.core.$ZodIssue;
}): RecordFault {
  const { stream, record, issue } = found;
  const { discriminator, textFields, propertiesField } = shapeOf(stream);
  if (issue.code === "unrecognized_keys") {
    const known = [discriminator, ...textFields, propertiesField].join(", ");
    const reason = `is not a field of the stream ${stream}, which has ${known}`;
    return { code: "unknown_field", field: issue.keys[0]?.toWellFormed(), reason };
  }
  const field = String(issue.path[0]);
  const value = record[field];
  if (value === undefined || value === null || value === "") {
    return { code: "required", field, reason: "is required, and empty" };
  }
  if (field === discriminator) return { code: "wrong_type", field, reason: `must be "${stream}"` };
  if (field === propertiesField) return propertiesFaultOf(field, value);
  if (typeof value !== "string") {
    return { code: "wrong_type", field, reason: "must be text; a mapping can say `as: string`" };
  }
  if (!value.isWellFormed()) {
    return { code: "lone_surrogate", field, reason: jsonReasons.lone_surrogate };
  }
  const reason = "must be a date with time and zone in ISO 8601; a mapping can say `as: datetime`";
  return { code: "not_datetime", field, reason };
}

/** Names the property, but no deeper member: below that, keys may be a customer's data. */
function propertiesFaultOf(field: string, properties: unknown): RecordFault {
  if (!isPlainObject(properties)) {
    return { code: "wrong_type", field, reason: "must be an object" };
  }
  for (const [key, value] of Object.entries(properties)) {
    const fault = propertyFaultOf(key, value);
    if (fault !== undefined) return { ...fault, field: `${field}.${key.toWellFormed()}` };
  }
  return { code: "not_json", field, reason: jsonReasons.not_json };
}

/** Why a property cannot go into a record; undefined where it can. */
export function propertyFaultOf(
  key: string,
  value: unknown,
): Pick<RecordFault, "code" | "reason"> | undefined {
  // Checked as an object of one member, so that depth counts as in the schema.
  const code = jsonFaultOf({ [key]: value });
  if (code === undefined) return undefined;
  const refusal = code === "not_json" ? refusalIn(value) : undefined;
  return refusal === undefined
    ? { code, reason: jsonReasons[code] }
    : { code: refusal.code, reason: refusal.reason };
}

/** The `CoercionRefusal` in a value, if it is the first thing in it that JSON cannot carry. */
function refusalIn(value: unknown): CoercionRefusal | undefined {
  if (value instanceof CoercionRefusal) return value;
  if (typeof value !== "object" || value === null) return undefined;
  const members: readonly unknown[] = Object.values(value);
  return refusalIn(
    members.find((member) => member !== undefined && jsonFaultOf(member) !== undefined),
  );
}
