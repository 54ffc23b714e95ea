// The entry `sluice/connector`: all that a connector outside this repository needs.
export {
  ConfigError,
  RetryLater,
  SluiceError,
  SourceAuthError,
  SourceChangedError,
  type ErrorFacts,
} from "../src/errors.ts";
export { parseJsonRow } from "../src/mapping/json-row.ts";
export {
  absentCell,
  booleanCell,
  doubledQuote,
  notAscii,
  nullCell,
  numberCell,
  otherCell,
  type Cells,
} from "../src/records/cells.ts";
export type { JsonValue } from "../src/records/json-value.ts";
export type { Secret } from "../src/security/secret.ts";
export type { ConnectorRequest, Finding, Log } from "./contract/request.ts";
export {
  pullSource,
  secret,
  type Column,
  type Discovery,
  type Got,
  type ReadLimit,
  type Measure,
  type Page,
  type Patch,
  type Pull,
  type ReadRequest,
  type Reject,
  type Row,
  type Source,
  type Span,
  type Written,
} from "./contract/connector.ts";
export {
  pushSource,
  type Endpoint,
  type Incoming,
  type IncomingEvent,
  type Push,
  type PushSource,
  type Received,
} from "./contract/push.ts";
export type { ConnectorApi } from "./contract/version.ts";
export type { PageAnswer, ClientOptions, Get } from "./paging/client.ts";
export type { EntryNames } from "./paging/entries.ts";
export type { FaultFields } from "./paging/faults.ts";
export { paginate, type ListPage, type PagedList } from "./paging/paginate.ts";
export { pagePosition, type PagePosition } from "./paging/position.ts";
