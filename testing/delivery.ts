import type { Endpoint, IncomingEvent } from "../connectors/contract/push.ts";
import type { Finding } from "../connectors/contract/request.ts";

/**
 * A delivery, or a configuration, that only this push connector knows, and its expected result. Members that are not
 * given are not checked.
 */
export type DeliveryCase = {
  /** Its name in messages: "a body that is not a list". */
  readonly what: string;
  /** Members of the configuration that differ from the harness's; undefined leaves one out. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** The member that the schema must refuse it by. */
  readonly refusedBy?: string;
  /** As the sender writes them; without a `body` nothing is pushed. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** When it comes in. @default now */
  readonly at?: Date;
  /** The events that must be taken from it, exactly. */
  readonly events?: readonly IncomingEvent[];
  /** Or the refusal that its sender must receive. */
  readonly refusal?: { readonly refuse: 400 | 401; readonly reason: string };
  /** The headers that `sign` must make for the body, with this `id`, at that time. */
  readonly signed?: { readonly id: string; readonly headers: Readonly<Record<string, string>> };
  /** Members that the result of `endpoint` must have. */
  readonly endpoint?: Partial<Endpoint>;
  /** Findings that `check` must have among others, each by its name. */
  readonly findings?: readonly (Pick<Finding, "name"> & Partial<Finding>)[];
};
