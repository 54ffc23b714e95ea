import { dirname, resolve } from "node:path";

import { Secret } from "../security/secret.ts";
import type { ApiConfig, Config, SyncConfig } from "./config.ts";
import type { FoundFile } from "./document/find.ts";
import { variablesIn } from "./document/interpolate.ts";
import type { NamedFiles } from "./document/named-files.ts";
import { canonicalJson, sha256 } from "./hash.ts";
import { assembleHoldIf } from "./schema/hold-if.ts";
import { assembleNotify } from "./schema/notify.ts";
import { assemblePull, type PullConfig } from "./schema/pull.ts";
import type { ConfigMembers } from "./schema/schema.ts";
import { isPushedConfig, writtenMembers } from "./schema/sources.ts";
import type { ConnectorSchema, SourceConfig, Sources } from "./schema/sources.ts";
import { storeServerOf } from "./schema/store.ts";

/** The checked parts of a configuration. */
export type ConfigParts = {
  readonly file: FoundFile;
  readonly members: ConfigMembers;
  readonly sources: Sources;
  readonly files: NamedFiles;
  readonly connectors: ReadonlyMap<string, ConnectorSchema>;
  /** `api_key` as it is written, before variables are filled in. */
  readonly writtenKey: string | undefined;
};

/** Assembles a configuration from parts that have no mistakes. */
export function assembleConfig(parts: ConfigParts & { readonly stateFolder: string }): Config {
  const { file, members, sources, files } = parts;
  const { temporal, advanced } = members;
  const folder = dirname(file.path);
  const syncs = [...sources.bySync].flatMap(([name, source]): [string, SyncConfig][] => {
    const sync = members.syncs[name];
    if (sync === undefined) return [];
    const moduleHash = files.moduleHashes.get(name);
    return [[name, assembleSync({ name, sync, source, folder, moduleHash })]];
  });
  const pulls = [...sources.byPull].flatMap(([name, used]): [string, PullConfig][] => {
    const pull = members.pulls[name];
    return pull === undefined ? [] : [[name, assemblePull(name, pull, used)]];
  });
  return {
    file: file.path,
    folder,
    fileHash: sha256(file.bytes),
    api: assembleApi(parts),
    stateFolder: parts.stateFolder,
    store: storeServerOf(members.store),
    temporal: { taskQueue: temporal.task_queue, searchAttribute: temporal.search_attribute },
    connectors: parts.connectors,
    connections: sources.connections,
    syncs: new Map(syncs),
    pulls: new Map(pulls),
    notify: assembleNotify(members.notify),
    advanced: {
      chunksPerRun: advanced.chunks_per_run,
      heartbeatTimeoutMs: advanced.heartbeat_timeout,
      scheduleToStartMs: advanced.schedule_to_start,
      hostLostAfterMs: advanced.host_lost_after,
      stagingBytesMax: advanced.staging_max,
      retryInitialMs: advanced.retry_initial,
      retryMaxMs: advanced.retry_max,
    },
  };
}

function assembleApi({ file, members: { api }, files, writtenKey }: ConfigParts): ApiConfig {
  const folder = dirname(file.path);
  const isSandbox = api.base_url === "sandbox";
  const legacy = api.legacy_base_url ?? (isSandbox ? "sandbox" : undefined);
  return {
    baseUrl: api.base_url,
    // A real key must not go to whatever listens on the sandbox's port.
    legacyBaseUrl: legacy === "sandbox" && !isSandbox ? undefined : legacy,
    apiKey: new Secret(files.apiKey ?? api.api_key ?? ""),
    apiKeyFile: api.api_key_file === undefined ? undefined : resolve(folder, api.api_key_file),
    apiKeySource: api.api_key_file ?? variablesIn(writtenKey ?? "")[0] ?? "api.api_key",
    account: api.account,
    requestsPerSecond: api.requests_per_second,
    allowInsecureHosts: api.allow_insecure_hosts,
    creditsRetryAfterMs: api.credits_retry_after,
    processingMs: api.processing_time,
    fileWaitMs: api.wait_behind_file,
  };
}

function assembleSync(parts: {
  readonly name: string;
  readonly sync: ConfigMembers["syncs"][string];
  readonly source: SourceConfig;
  readonly folder: string;
  readonly moduleHash: string | undefined;
}): SyncConfig {
  const { name, sync, source, folder, moduleHash } = parts;
  const settings = {
    name,
    ...source,
    stream: sync.stream,
    send: sync.send,
    duplicateKeys: sync.duplicate_keys,
    rejectLimit: sync.reject_limit,
    minRows: sync.min_rows,
    mode: sync.mode,
    chunk: sync.chunk,
    lightweightPartsMax: sync.lightweight.parts_max,
    resendAfterMs: sync.resend_after,
    pii: sync.pii,
  };
  // The hash leaves out the folder, which differs from host to host and does not affect the records. It also leaves out
  // an endpoint and its secrets: the events in the inbox have passed them already.
  const connectorConfig = isPushedConfig(source.connectorConfig)
    ? {}
    : writtenMembers(source.connectorConfig);
  const record = moduleHash ?? sync.record;
  const configHash = sha256(canonicalJson({ ...settings, connectorConfig, record }));
  const hashed = {
    ...settings,
    schedule: sync.schedule,
    verify: sync.verify,
    allowFeedbackLoop: sync.allow_feedback_loop,
    approveUpTo: sync.approve.auto_up_to,
    holdIf: assembleHoldIf(sync.hold_if),
    configHash,
  };
  if (typeof sync.record !== "string") return { ...hashed, record: sync.record };
  // A module that cannot be read is a mistake that was found before, so the hash is there.
  const recordModule = { path: resolve(folder, sync.record), hash: moduleHash ?? "" };
  return { ...hashed, recordModule };
}
