import type { RejectCode } from "../../src/records/reject-codes.ts";

/** Types of failures in Temporal that no class of `src/errors.ts` has. */
export const otherFailures = {
  InvalidInput: {
    meaning: "the input typed for a workflow is not valid",
    advice: "Start it again with the corrected input that the message shows.",
  },
  Unexpected: {
    meaning: "a library or a bug raised an error that sluice does not know",
    advice: "Nothing while it is retried. If it lasts, report a bug, with the text.",
  },
} as const;

/** What a person does about a reject, by its code. */
export const rejectAdvice: Readonly<Record<RejectCode, string>> = {
  required: "Fill the field in the source, or give its rule a `default`.",
  not_text: "Give the rule an `as`, or map a column that holds text.",
  not_integer: "Correct the value, or map it with `as: number` or `as: string`.",
  not_number: "Correct the value, or map it with `as: string`.",
  inexact_number: "Map it with `as: string`, which keeps every digit.",
  not_boolean: "Correct the value, or map it with `as: string`.",
  not_date: "Write it as YYYY-MM-DD, or convert it in a mapping module.",
  not_datetime: "Write it as ISO 8601, or convert it in a mapping module.",
  datetime_without_zone: "Add the time zone in the source or in the query.",
  bad_json: "Correct the text, or map it with `as: string`.",
  duplicate_json_key: "Remove one of the two in the source.",
  not_domain: "Correct the value, or map another column.",
  not_email: "Correct the value, or map another column.",
  mapping_failed: "Correct the mapping module, restart the worker, replay.",
  wrong_type: "Give the field its type with `as`, or in the mapping module.",
  unknown_field: "Leave the field out, or put it among the properties.",
  not_json: "Return only what JSON can hold from the mapping module.",
  lone_surrogate: "Correct the text in the source: half of a character is missing.",
  too_deep: "Map a member further inside, or flatten the value.",
  duplicate_key: "Make the key unique in the source.",
  refused_by_service: "Read the reason, correct the source or the mapping, replay.",
  too_large: "Map fewer or shorter properties.",
  service_fails: "Try it later with a replay; if it fails again, ask the service's operator.",
  refused_again: "Correct the record in the source, so that a newer one is sent.",
  bad_result: "Tell the service's operator: the answer is not of the shape it documents.",
  no_key: "Choose a `key` that every result has.",
  refused_by_source: "Change the column's type or constraint, or set another value.",
  unknown_domain: "Correct the domain, or leave it out.",
  refused_domain: "Correct the domain, or leave it out.",
};

/** Codes of rows that a connector could not read, with their meaning and what to do. */
export const sourceRejects: Readonly<Record<string, readonly [meaning: string, advice: string]>> = {
  stray_quote: ["a quote is not doubled inside a CSV field", "Double it, or set `quote: false`."],
  nul_byte: ["a field holds a NUL byte", "Remove it in the source."],
  invalid_encoding: [
    "bytes do not belong to the file's encoding",
    "Set `encoding`, or convert it.",
  ],
  ragged_row: ["a row has more or fewer fields than the header", "Correct the row."],
  row_too_long: ["a row is longer than sluice reads", "Leave out columns of that size."],
  line_too_long: ["a line is longer than sluice reads", "Leave out members of that size."],
  no_row: ["an item of an answer is no row", "Check `rows`: it must lead to a list of objects."],
  not_an_object: ["a line or event is no JSON object", "Correct the sender or the file."],
  id_conflict: ["an id came again with another body", "Give each event its own id at the sender."],
  row_gone: [
    "the row is no longer where it was",
    "Nothing: the next run reads the source as it is.",
  ],
  source_reject: [
    "the connector refused it under a code of the wrong form",
    "Read the reason; correct the connector.",
  ],
};
