import type { Guardrails } from "../guardrails/guardrails.ts";
import type { RecordMapping } from "../mapping/schema.ts";
import type { Secret } from "../security/secret.ts";
import type { StoreServer } from "../state/postgres/server.ts";
import type { NotifyConfig } from "./schema/notify.ts";
import type { PullConfig } from "./schema/pull.ts";
import type { ScheduleConfig } from "./schema/schedule.ts";
import type { ConfigMembers } from "./schema/schema.ts";
import type { ConnectionConfig, ConnectorSchema, SourceConfig } from "./schema/sources.ts";
import type { VerifyConfig } from "./schema/verify.ts";

/** A `sluice.yaml` that was found, read and checked. */
export type Config = {
  /** Absolute path of the file. */
  readonly file: string;
  /** Absolute path of its folder, where relative paths start. */
  readonly folder: string;
  /** Sha256 of the file's bytes, so that a worker can detect that its file has changed. */
  readonly fileHash: string;
  readonly api: ApiConfig;
  /** Absolute path of the folder of the state store and of staged files. */
  readonly stateFolder: string;
  /** The store in Postgres; undefined where it is in the state folder. */
  readonly store: StoreServer | undefined;
  readonly temporal: { readonly taskQueue: string; readonly searchAttribute: boolean };
  /**
   * The available connectors, by their name in `connector:`: those of this repository, and external ones that the file
   * names.
   */
  readonly connectors: ReadonlyMap<string, ConnectorSchema>;
  readonly connections: ReadonlyMap<string, ConnectionConfig>;
  readonly syncs: ReadonlyMap<string, SyncConfig>;
  readonly pulls: ReadonlyMap<string, PullConfig>;
  readonly notify: readonly NotifyConfig[];
  readonly advanced: AdvancedConfig;
};

/** The service and how it is reached. */
export type ApiConfig = {
  readonly baseUrl: "sandbox" | URL;
  /** Undefined when it is not known, so that ping cannot be called. */
  readonly legacyBaseUrl: "sandbox" | URL | undefined;
  readonly apiKey: Secret;
  /** The setting that holds the key, for messages: "SLUICE_API_KEY", "api.api_key" or the key's file. */
  readonly apiKeySource: string;
  /** Absolute path of the key's file, which may hold another key by now; undefined where there is none. */
  readonly apiKeyFile: string | undefined;
  readonly account: string;
  readonly requestsPerSecond: number;
  readonly allowInsecureHosts: readonly string[];
  readonly creditsRetryAfterMs: number;
  /** How long the service may take to apply a file after its confirmation. */
  readonly processingMs: number;
  /** How long events wait after a file of their stream; undefined sends them at once. */
  readonly fileWaitMs: number | undefined;
};

/** A module that exports `mapRecord`, as it was when the configuration was read. */
export type RecordModule = {
  /** Absolute path. */
  readonly path: string;
  /** Sha256 of the file's bytes, without what it imports. */
  readonly hash: string;
};

type SyncMembers = ConfigMembers["syncs"][string];

/** A configured transfer. */
export type SyncConfig = SourceConfig & {
  readonly name: string;
  readonly stream: SyncMembers["stream"];
  readonly send: SyncMembers["send"];
  readonly duplicateKeys: SyncMembers["duplicate_keys"];
  /** A run stops when its rejects exceed both: `rate` of the rows read, from 0 to 1, and `rows`. */
  readonly rejectLimit: { readonly rate: number; readonly rows: number };
  readonly minRows: number;
  readonly mode: SyncMembers["mode"];
  readonly chunk: { readonly records: number; readonly bytes: number; readonly level: number };
  readonly lightweightPartsMax: number;
  /** Undefined: a record that was sent once is never sent again unless it changes. */
  readonly resendAfterMs: number | undefined;
  readonly pii: { readonly rejects: SyncMembers["pii"]["rejects"] };
  /** Undefined: it runs only on request. */
  readonly schedule: ScheduleConfig | undefined;
  /** Undefined: it is verified only on request. */
  readonly verify: VerifyConfig | undefined;
  /** Whether it may read what a pull writes. */
  readonly allowFeedbackLoop: boolean;
  /** Rows up to which a backfill needs no consent. */
  readonly approveUpTo: number;
  /** Undefined: nothing holds its runs. */
  readonly holdIf: Guardrails | undefined;
  /**
   * Sha256 over all of this except the schedule, `verify`, `allowFeedbackLoop`, `approveUpTo` and `holdIf`, and over
   * the bytes of a mapping module, but over no secret; the same wherever the project is. For an external connector it
   * covers the name and the configuration, not the code: its positions account for how it reads rows, and an edited
   * comment must not end a run that is under way.
   */
  readonly configHash: string;
} & (
    | { readonly record: RecordMapping; readonly recordModule?: undefined }
    | { readonly record?: undefined; readonly recordModule: RecordModule }
  );

/** Timeouts and windows. */
export type AdvancedConfig = {
  /** Undefined: the workflow continues as new when Temporal suggests it. */
  readonly chunksPerRun: number | undefined;
  readonly heartbeatTimeoutMs: number;
  readonly scheduleToStartMs: number;
  /** A host is gone when none of its workers has sent a heartbeat for this long. */
  readonly hostLostAfterMs: number;
  /** Bytes that a run may stage if it is weighed before it sends. */
  readonly stagingBytesMax: number;
  readonly retryInitialMs: number;
  /** Undefined: each kind of activity has its own maximum. */
  readonly retryMaxMs: number | undefined;
};

/** The target that checkpoints and fingerprints belong to besides the sync: the service's origin and the account. */
export function targetOf(api: Pick<ApiConfig, "account" | "baseUrl">): string {
  return api.baseUrl === "sandbox" ? "sandbox" : `${api.baseUrl.origin} ${api.account}`;
}
