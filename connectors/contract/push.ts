// A project without settings of its own finds Buffer and related variables through what it imports from here.
/// <reference types="node" preserve="true" />
import type { z } from "zod";

import type { ConnectorRequest, Finding } from "./request.ts";
import { connectorApi, type ConnectorApi } from "./version.ts";

/** A delivery as it came in, before anyone knows whether it may be believed. */
export type Incoming = {
  /** By lower-case name; repeated headers are joined by ", ". */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly query: URLSearchParams;
  /** The bytes of the body, as they came. */
  readonly body: Buffer;
  /** Unix ms. */
  readonly receivedAt: number;
};

/** One event of a delivery. */
export type IncomingEvent = {
  /** JSON, as it came: the digits of a number are still all there. */
  readonly json: string;
  /**
   * The sender's id for it: an id is accepted once a week, within one connection. Without an id, every delivery counts.
   */
  readonly id?: string | undefined;
};

/** A connector's result for a delivery: events to keep, or a refusal that the sender receives. */
export type Received =
  | { readonly events: readonly IncomingEvent[] }
  | {
      /** It can never be read. */
      readonly refuse: 400;
      /** A stable code, counted by the metrics: "not_json". */
      readonly reason: string;
      /** What the sender must fix; quotes nothing of the delivery. Its signature is right, so it may know. */
      readonly message: string;
    }
  | {
      /** It is not from the sender that it claims. */
      readonly refuse: 401;
      /** A stable code, counted by the metrics: "bad_signature". */
      readonly reason: string;
    };

/** How deliveries of a connection come in, and how long they are kept. */
export type Endpoint = {
  /** Where they are pushed: `/hooks/forms`. */
  readonly path: string;
  /** Largest body. */
  readonly bodyBytesMax: number;
  /** Events that may wait to be sent before deliveries are refused for a while. */
  readonly backlogMax: number;
  /** How long a drain waits for more events before it looks again. */
  readonly lingerMs: number;
  /** How long events are kept once every sync has sent them, and at most twice that. */
  readonly retentionMs: number;
};

/** A source that is pushed to. Its events are in the engine's inbox until they are sent, and syncs read them there. */
export interface Push<Config> {
  /** Depends on the configuration alone: it asks nobody, and returns the same whenever it is called. */
  endpoint(config: Config): Endpoint;
  /**
   * Verifies a delivery, over the bytes as they came, and only then cuts it into events. It is called once
   * per delivery, in the thread that answers all of them, never with more than `bodyBytesMax`: it waits for
   * nothing, and never throws for what a sender may have done. More than 1,000 events are refused. The events
   * are answered with 202 once all of them are kept; the same delivery may come again and must then give the
   * same ids.
   */
  receive(input: { readonly config: Config; readonly request: Incoming }): Received;
  /** The headers and the path's query that make a body believed, for `sluice webhooks send`. */
  sign?(input: {
    readonly config: Config;
    readonly body: Buffer;
    /** Names the delivery where its signature or its headers do. */
    readonly id: string;
    /** Unix ms. */
    readonly at: number;
  }): Readonly<Record<string, string>>;
  /** As for a source that is read. */
  check?(request: ConnectorRequest<Config>): Promise<readonly Finding[]>;
}

/** A push connector as the engine holds it: types erased, its schema kept. */
export type PushSource = Push<unknown> & {
  readonly kind: "push";
  readonly api: ConnectorApi;
  readonly name: string;
  /** The connection's members. */
  readonly config: z.ZodType;
};

/** Makes a push connector from its schema and abilities. */
export function pushSource<Config extends z.ZodType>(
  source: { readonly name: string; readonly config: Config } & Push<z.output<Config>>,
): PushSource {
  return { kind: "push", api: connectorApi, ...source };
}
