/** The API's kinds of record (docs/facts/service.md#records). */
export const streams = ["account", "contact", "account_event", "contact_event"] as const;

/** One of the API's kinds of record. */
export type Stream = (typeof streams)[number];

/** A row as a source yields it. Its prototype may be null, so that a column named `constructor` is only a column. */
export type Row = Readonly<Record<string, unknown>>;

/** One item in upload format; its content is checked by `validateRecord`, not by its type. */
export type StreamRecord = Readonly<Record<string, unknown>>;

/** How the records of a stream are built; every member is required in each. */
export type StreamShape = {
  /** The member that names the stream; sluice writes it, first. */
  readonly discriminator: "type" | "event_type";
  readonly keyField: "account_id" | "contact_id" | "event_id";
  /** The fields that are text, in the order they are written. */
  readonly textFields: readonly TextField[];
  /** The one field that is an object of free attributes; it comes last. */
  readonly propertiesField: "account_properties" | "contact_properties" | "event_properties";
};

/** A field that is text, in any stream. */
export type TextField =
  | "account_id"
  | "contact_id"
  | "event_id"
  | "domain"
  | "email"
  | "event"
  | "event_timestamp";

const shapes: Readonly<Record<Stream, StreamShape>> = {
  account: {
    discriminator: "type",
    keyField: "account_id",
    textFields: ["account_id", "domain"],
    propertiesField: "account_properties",
  },
  contact: {
    discriminator: "type",
    keyField: "contact_id",
    textFields: ["contact_id", "email"],
    propertiesField: "contact_properties",
  },
  account_event: {
    discriminator: "event_type",
    keyField: "event_id",
    textFields: ["event_id", "account_id", "event", "event_timestamp"],
    propertiesField: "event_properties",
  },
  contact_event: {
    discriminator: "event_type",
    keyField: "event_id",
    textFields: ["event_id", "contact_id", "event", "event_timestamp"],
    propertiesField: "event_properties",
  },
};

/** How the records of a stream are built. */
export function shapeOf(stream: Stream): StreamShape {
  return shapes[stream];
}

/** The field that holds a record's key. */
export function keyFieldOf(stream: Stream): StreamShape["keyField"] {
  return shapes[stream].keyField;
}
