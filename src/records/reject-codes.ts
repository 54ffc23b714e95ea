/** The text of a reject code; docs/errors.md is made from it. */
export type RejectCodeText = {
  /** What is wrong, a phrase for a report. */
  readonly meaning: string;
  /** What a person does about it, in a sentence. */
  readonly advice: string;
};

const codes = {
  // Mapping
  required: {
    meaning: "a required field is empty",
    advice: "Fill the field in the source, or give its rule a `default`.",
  },
  not_text: {
    meaning: "a value is not text",
    advice: "Give the rule an `as`, or map a column that holds text.",
  },
  not_integer: {
    meaning: "a value is not a whole number",
    advice: "Correct the value, or map it with `as: number` or `as: string`.",
  },
  not_number: {
    meaning: "a value is not a number",
    advice: "Correct the value, or map it with `as: string`.",
  },
  inexact_number: {
    meaning: "a number has more digits than JSON numbers carry",
    advice: "Map it with `as: string`, which keeps every digit.",
  },
  not_boolean: {
    meaning: "a value is neither true nor false",
    advice: "Correct the value, or map it with `as: string`.",
  },
  not_date: {
    meaning: "a value is not a date",
    advice: "Write it as YYYY-MM-DD, or convert it in a mapping module.",
  },
  not_datetime: {
    meaning: "a value is not a date with time",
    advice: "Write it as ISO 8601, or convert it in a mapping module.",
  },
  datetime_without_zone: {
    meaning: "a date with time has no time zone",
    advice: "Add the time zone in the source or in the query.",
  },
  bad_json: {
    meaning: "a text is not valid JSON",
    advice: "Correct the text, or map it with `as: string`.",
  },
  duplicate_json_key: {
    meaning: "a JSON object has the same key twice",
    advice: "Remove one of the two in the source.",
  },
  not_domain: {
    meaning: "a value is not a domain",
    advice: "Correct the value, or map another column.",
  },
  not_email: {
    meaning: "a value is not an e-mail address",
    advice: "Correct the value, or map another column.",
  },
  mapping_failed: {
    meaning: "the mapping module failed",
    advice: "Correct the mapping module, restart the worker, replay.",
  },
  // Validation
  wrong_type: {
    meaning: "a field has the wrong type",
    advice: "Give the field its type with `as`, or in the mapping module.",
  },
  unknown_field: {
    meaning: "a record has a field that its stream does not know",
    advice: "Leave the field out, or put it among the properties.",
  },
  not_json: {
    meaning: "a value cannot be written as JSON",
    advice: "Return only what JSON can hold from the mapping module.",
  },
  lone_surrogate: {
    meaning: "a text is not valid Unicode",
    advice: "Correct the text in the source: half of a character is missing.",
  },
  too_deep: {
    meaning: "a value is nested too deeply",
    advice: "Map a member further inside, or flatten the value.",
  },
  // Sending
  duplicate_key: {
    meaning: "same key as an earlier row",
    advice: "Make the key unique in the source.",
  },
  refused_by_service: {
    meaning: "the service refused the record",
    advice: "Read the reason, correct the source or the mapping, replay.",
  },
  too_large: {
    meaning: "the record is too large",
    advice: "Map fewer or shorter properties.",
  },
  service_fails: {
    meaning: "the service fails on it",
    advice: "Try it later with a replay; if it fails again, ask the service's operator.",
  },
  refused_again: {
    meaning: "the service refused the record when it was sent once more",
    advice: "Correct the record in the source, so that a newer one is sent.",
  },
  // Pulling
  bad_result: {
    meaning: "a result does not have the shape of the API document",
    advice: "Tell the service's operator: the answer does not have the documented shape.",
  },
  no_key: {
    meaning: "a result lacks a value that finds its row",
    advice: "Choose a `key` that every result has.",
  },
  refused_by_source: {
    meaning: "the source refused the values",
    advice: "Change the column's type or constraint, or set another value.",
  },
  unknown_domain: {
    meaning: "the service does not know the domain",
    advice: "Correct the domain, or leave it out.",
  },
  refused_domain: {
    meaning: "the service refused the domain",
    advice: "Correct the domain, or leave it out.",
  },
  refused_page: {
    meaning: "the service refused a further page of the domain's job postings",
    advice: "Run the pull again later: it asks for the domain from its first page.",
  },
  failed_domain: {
    meaning: "the service fails on the domain, and serves other requests",
    advice: "Run the pull again later; if it fails again, ask the service's operator.",
  },
} as const satisfies Record<string, RejectCodeText>;

const sourceCodes = {
  stray_quote: {
    meaning: "a quote is not doubled inside a CSV field",
    advice: "Double it, or set `quote: false`.",
  },
  nul_byte: {
    meaning: "a field holds a NUL byte",
    advice: "Remove it in the source.",
  },
  invalid_encoding: {
    meaning: "bytes do not belong to the file's encoding",
    advice: "Set `encoding`, or convert it.",
  },
  ragged_row: {
    meaning: "a row has more or fewer fields than the header",
    advice: "Correct the row.",
  },
  row_too_long: {
    meaning: "a row is longer than sluice reads",
    advice: "Leave out columns of that size.",
  },
  line_too_long: {
    meaning: "a line is longer than sluice reads",
    advice: "Leave out members of that size.",
  },
  no_row: {
    meaning: "an item of an answer is not a row",
    advice: "Check `rows`: it must lead to a list of objects.",
  },
  not_an_object: {
    meaning: "a line or event is not a JSON object",
    advice: "Correct the sender or the file.",
  },
  too_many_values: {
    meaning: "an event has more values than fit into memory",
    advice: "Post it in several events.",
  },
  id_conflict: {
    meaning: "an id came again with another body",
    advice: "Give each event its own id at the sender.",
  },
  row_gone: {
    meaning: "the row is no longer where it was",
    advice: "Nothing: the next run reads the source as it is.",
  },
  file_away: {
    meaning: "the row's file is no longer among the files of its source",
    advice: "Put the file back under its name, or set `path` as it was, and replay.",
  },
  source_reject: {
    meaning: "the connector refused it under a code of the wrong form",
    advice: "Read the reason; correct the connector.",
  },
} as const satisfies Record<string, RejectCodeText>;

/** Why a row or record was refused; a connector has its own codes for rows that it could not read. */
export type RejectCode = keyof typeof codes;

/**
 * The code of a line of an earlier run that was sent again and refused. No source has it, so it is neither open nor
 * replayed, and no `reject_limit` counts it.
 */
export const refusedAgain = "refused_again" satisfies RejectCode;

/** What is wrong with one record. */
export type RecordFault = {
  readonly code: RejectCode;
  /** Path of the field, "account_properties.employees"; undefined when the record as a whole is at fault. */
  readonly field?: string | undefined;
  /** What is wrong, for a person. Holds no value of the row, except in what a mapping module threw. */
  readonly reason: string;
};

/** Every reject code of our own with its meaning and what to do. */
export const rejectCodes: Readonly<Record<RejectCode, RejectCodeText>> = codes;

/** A code of a row that one of our connectors could not read. */
export type SourceRejectCode = keyof typeof sourceCodes;

/** The same for rows that a connector could not read. A project's own connector may have others. */
export const sourceRejectCodes: Readonly<Record<SourceRejectCode, RejectCodeText>> = sourceCodes;

const meanings = new Map<string, string>(
  Object.entries(codes).map(([code, { meaning }]) => [code, meaning]),
);

/** One line for a person about a reject code; for a connector's own code, the code itself in words. */
export function rejectText(code: string): string {
  return meanings.get(code) ?? code.replaceAll("_", " ");
}

/** All of our codes, without those of a project's own connectors. */
export const ourRejectCodes: readonly string[] = [
  ...new Set([...Object.keys(codes), ...Object.keys(sourceCodes)]),
];
