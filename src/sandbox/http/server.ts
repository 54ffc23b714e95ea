import { once } from "node:events";
import type { Server } from "node:http";
import { join } from "node:path";

import { lightweightBodyBytesMax } from "../../limits.ts";
import { type FolderLock, lockFolder, signingKeyOf } from "../data-folder.ts";
import { FaultOrders } from "../faults/fault-orders.ts";
import type { SandboxFault } from "../faults/faults.ts";
import { pageItemsMaxDefault, uploadUrlTtlMsDefault } from "../limits.ts";
import { pingStep } from "../ping.ts";
import { SearchIndex } from "../search/search-index.ts";
import { Search } from "../search/search.ts";
import type { Bounds, Step } from "../steps.ts";
import { Ingestion } from "../upload/ingestion.ts";
import { RecordIndex } from "../upload/record-index.ts";
import { Storage } from "../upload/storage.ts";
import { UploadStore } from "../upload/upload-store.ts";
import { ApiKeys } from "./api-keys.ts";
import type { StepHandler } from "./exchange.ts";
import { JsonRequests } from "./json-requests.ts";
import { openapiDocument } from "./openapi.ts";
import { Quota, type QuotaSettings } from "./quota.ts";
import { Routes } from "./routes.ts";

/**
 * How a sandbox behaves. Its quota is for the ingestion API; search and enrichment together have the same calls per
 * minute, counted separately.
 */
export type SandboxSettings = QuotaSettings & {
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  /** The folder of ledger, files and index, for one sandbox at a time. It is made when it is missing. */
  readonly dataFolder: string;
  /** The accepted keys; when undefined, every key that is not empty. */
  readonly apiKeys?: readonly string[] | undefined;
  /** @default 15 minutes */
  readonly uploadUrlTtlMs?: number | undefined;
  /** @default 1,000,000 */
  readonly bodyBytesMax?: number | undefined;
  /**
   * How a confirm treats a file with refused lines: answers 422, or answers 200 and drops the file, as the contract
   * would also allow. @default "at-confirm"
   */
  readonly rejects?: "at-confirm" | "silent" | undefined;
  /** The beginning of upload addresses. @default http:// and the request's Host header */
  readonly publicAddress?: string | undefined;
  /** Whether a repeated confirm does nothing (lenient) or applies its file again (strict). @default "lenient" */
  readonly confirms?: "lenient" | "strict" | undefined;
  /**
   * Search and enrichment calls that a key has credits for, from the sandbox's start; when undefined, they
   * are not limited.
   */
  readonly searchCreditCalls?: number | undefined;
  /** Items that one page of a search may have. @default 100 */
  readonly pageItemsMax?: number | undefined;
  readonly faults?: readonly SandboxFault[] | undefined;
  /** Decides which requests are hit by faults with `oneIn`. @default 0 */
  readonly seed?: number | undefined;
};

/** A running sandbox. */
export type Sandbox = {
  /** `http://<host>:<port>`, the base URL of every API. */
  readonly address: string;
  /** Adds a fault after those already ordered. */
  order(fault: SandboxFault): void;
  /** Closes every connection, even in the middle of a request, and releases the data folder. */
  close(): Promise<void>;
};

/**
 * Starts a local implementation of the service.
 * @throws when the port or the data folder is taken.
 */
export async function startSandbox(settings: SandboxSettings): Promise<Sandbox> {
  const lock = await lockFolder(settings.dataFolder);
  try {
    return await startLocked(settings, lock);
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function startLocked(settings: SandboxSettings, lock: FolderLock): Promise<Sandbox> {
  const signingKey = await signingKeyOf(settings.dataFolder);
  const store = await UploadStore.open(settings.dataFolder);
  const index = await RecordIndex.open(join(settings.dataFolder, "records.db"));
  // Only a search needs it, and it takes as long to open as everything else.
  let search: Promise<SearchIndex> | undefined;
  const searchIndex = (): Promise<SearchIndex> =>
    (search ??= SearchIndex.open(join(settings.dataFolder, "search.db")));
  const faults = new FaultOrders(settings.seed ?? 0);
  for (const fault of settings.faults ?? []) faults.order(fault);
  const closing = new AbortController();
  const routes = new Routes({
    store,
    index,
    handlers: handlersOf(settings, { store, signingKey, searchIndex }),
    exchange: { store, faults, closing: closing.signal },
    openapi: () => openapiDocument(boundsOf(settings)),
  });
  const leave = async (): Promise<void> => {
    await routes.settled();
    await index.close();
    await store.close();
    await (await search)?.close();
  };
  const server = routes.server();
  try {
    await listen(server, settings);
  } catch (error) {
    await leave();
    throw error;
  }
  const close = async (): Promise<void> => {
    closing.abort();
    server.close();
    server.closeAllConnections();
    // A request that is cut off here still writes its line.
    await leave();
    lock.release();
  };
  return { address: addressOf(server), order: (fault) => faults.order(fault), close };
}

async function listen(server: Server, at: { host: string; port: number }): Promise<void> {
  server.listen({ host: at.host, port: at.port });
  await once(server, "listening");
}

function addressOf(server: Server): string {
  const at = server.address();
  if (at === null || typeof at === "string") throw new Error("the sandbox listens on no port");
  return `http://${at.family === "IPv6" ? `[${at.address}]` : at.address}:${at.port}`;
}

function boundsOf(settings: SandboxSettings): Bounds {
  return {
    bodyBytesMax: settings.bodyBytesMax ?? lightweightBodyBytesMax,
    pageItemsMax: settings.pageItemsMax ?? pageItemsMaxDefault,
  };
}

function handlersOf(
  settings: SandboxSettings,
  parts: {
    readonly store: UploadStore;
    readonly signingKey: Buffer;
    readonly searchIndex: () => Promise<SearchIndex>;
  },
): Readonly<Record<Step, StepHandler>> {
  const { store, signingKey, searchIndex } = parts;
  const { bodyBytesMax, pageItemsMax } = boundsOf(settings);
  const keys = new ApiKeys(settings.apiKeys);
  const ingestion = new Ingestion({
    store,
    signingKey,
    requests: new JsonRequests({ keys, quota: new Quota(settings), bodyBytesMax }),
    uploadUrlTtlMs: settings.uploadUrlTtlMs ?? uploadUrlTtlMsDefault,
    rejects: settings.rejects ?? "at-confirm",
    confirms: settings.confirms ?? "lenient",
    origin: (request) =>
      settings.publicAddress?.replace(/\/$/, "") ??
      `http://${request.headers.host ?? settings.host}`,
  });
  const quota = new Quota({ ...settings, creditCalls: settings.searchCreditCalls });
  const requests = new JsonRequests({ keys, quota, bodyBytesMax });
  const search = new Search({ store, index: searchIndex, requests, pageItemsMax });
  return {
    ping: pingStep(keys),
    put: new Storage(store, signingKey).put,
    ...ingestion.steps,
    ...search.steps,
  };
}
