const texts = {
  // Mapping
  required: "a required field is empty",
  not_text: "a value is not text",
  not_integer: "a value is not a whole number",
  not_number: "a value is not a number",
  inexact_number: "a number has more digits than JSON numbers carry",
  not_boolean: "a value is neither true nor false",
  not_date: "a value is not a date",
  not_datetime: "a value is not a date with time",
  datetime_without_zone: "a date with time has no time zone",
  bad_json: "a text is not valid JSON",
  duplicate_json_key: "a JSON object has the same key twice",
  not_domain: "a value is not a domain",
  not_email: "a value is not an e-mail address",
  mapping_failed: "the mapping module failed",
  // Validation
  wrong_type: "a field has the wrong type",
  unknown_field: "a record has a field that its stream does not know",
  not_json: "a value cannot be written as JSON",
  lone_surrogate: "a text is not valid Unicode",
  too_deep: "a value is nested too deeply",
  // Sending
  duplicate_key: "same key as an earlier row",
  refused_by_service: "the service refused the record",
  too_large: "the record is too large",
  service_fails: "the service fails on it",
  refused_again: "the service refused the record when it was sent once more",
  // Pulling
  bad_result: "a result has not the shape of the API document",
  no_key: "a result lacks what its row is found by",
  refused_by_source: "the source refused the values",
  unknown_domain: "the service does not know the domain",
  refused_domain: "the service refused the domain",
} as const;

/** Why a row or record was refused; a connector brings codes of its own for rows it could not read. */
export type RejectCode = keyof typeof texts;

/**
 * The code of a line of an earlier run that was sent once more and refused: no source has it, so that it is
 * neither open nor replayed, and no `reject_limit` counts it.
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

/** What each reject code means, one line for a person. */
export const rejectTexts: ReadonlyMap<string, string> = new Map(Object.entries(texts));

/** One line for a person about a reject code; a connector's own code stands for itself. */
export function rejectText(code: string): string {
  return rejectTexts.get(code) ?? code.replaceAll("_", " ");
}
