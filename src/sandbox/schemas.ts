import { z } from "zod";

/** The accepted values of `stream` (docs/facts/service.md#records). */
export const sandboxStreams = ["account", "account_event", "contact", "contact_event"] as const;

/** One of the four kinds of record. */
export type SandboxStream = (typeof sandboxStreams)[number];

/** Attributes whose names and values are the client's own. */
const freeObject = z.looseObject({});

/**
 * A date-time of RFC 3339, also with `t` and `z`, but without leap seconds: few readers accept those. Refusing local
 * times is our choice: they mean a different instant to every reader.
 */
export const dateTime = z
  .string()
  .regex(
    new RegExp(
      z.regexes.datetime({ offset: true }).source.replace("T", "[Tt]").replace("Z", "[Zz]"),
    ),
  )
  .meta({ format: "date-time" });

/** The members of each stream (docs/facts/service.md#records). Refusing unknown top-level members is our choice. */
export const sandboxRecordSchemas = {
  account: z.strictObject({
    type: z.literal("account").default("account"),
    account_id: z.string(),
    domain: z.string(),
    account_properties: freeObject,
  }),
  account_event: z.strictObject({
    event_type: z.literal("account_event").default("account_event"),
    event_id: z.string(),
    account_id: z.string(),
    event: z.string(),
    event_timestamp: dateTime,
    event_properties: freeObject,
  }),
  contact: z.strictObject({
    type: z.literal("contact").default("contact"),
    contact_id: z.string(),
    email: z.string(),
    contact_properties: freeObject,
  }),
  contact_event: z.strictObject({
    event_type: z.literal("contact_event").default("contact_event"),
    event_id: z.string(),
    contact_id: z.string(),
    event: z.string(),
    event_timestamp: dateTime,
    event_properties: freeObject,
  }),
} as const satisfies Record<SandboxStream, z.ZodType>;

/** The member that identifies a record of each stream: a later record with the same value replaces the earlier one. */
export const idFields = {
  account: "account_id",
  account_event: "event_id",
  contact: "contact_id",
  contact_event: "event_id",
} as const satisfies Record<SandboxStream, string>;

/** The member of each stream that may be left out, because its only value is the stream's name. */
export const typeFields = {
  account: "type",
  account_event: "event_type",
  contact: "type",
  contact_event: "event_type",
} as const satisfies Record<SandboxStream, string>;

const streamName = z.enum(sandboxStreams);

/** Body of POST /ingestion/upload-json (docs/facts/service.md#lightweight); its records are checked one by one. */
export const uploadJsonBody = z.strictObject({ stream: streamName, data: z.array(z.unknown()) });

/** Body of POST /ingestion/generate-upload-url (docs/facts/service.md#heavyweight). */
export const generateUploadUrlBody = z.strictObject({
  stream: streamName,
  content_type: z.literal("application/jsonl"),
  content_encoding: z.literal("gzip"),
});

/** Body of POST /ingestion/confirm-upload (docs/facts/service.md#heavyweight). */
export const confirmUploadBody = z.strictObject({ file_key: z.string() });

/** The answers of the endpoints under `/ingestion`, by their names in the OpenAPI document. */
export const ingestionAnswers = {
  UploadResult: z.object({ status: z.string(), message: z.string(), file_key: z.string() }),
  UploadAddress: z.object({ upload_url: z.url(), file_key: z.string() }),
  Confirmation: z.object({ status: z.string(), message: z.string() }),
} as const;

/** Query of GET /_sandbox/records. */
export const recordsQuery = z.strictObject({ stream: streamName });
