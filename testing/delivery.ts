import type { Endpoint, IncomingEvent } from "../connectors/contract/push.ts";
import type { Finding } from "../connectors/contract/request.ts";

/**
 * A delivery, or a configuration, that only this push connector knows, and what must become of it. What is
 * not said is not looked at.
 */
export type DeliveryCase = {
  /** Its name in messages: "a body that is not a list". */
  readonly what: string;
  /** Members of the configuration that are not the harness's; undefined leaves one out. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** The member that the schema must refuse it by. */
  readonly refusedBy?: string;
  /** As the sender writes them; without a `body` nothing is pushed. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** When it comes in. @default now */
  readonly at?: Date;
  /** What is taken of it, exactly. */
  readonly events?: readonly IncomingEvent[];
  /** Or what its sender is told. */
  readonly refusal?: { readonly refuse: 400 | 401; readonly reason: string };
  /** The headers that `sign` makes of the body, called `id`, at that time. */
  readonly signed?: { readonly id: string; readonly headers: Readonly<Record<string, string>> };
  /** Members that `endpoint` must answer with. */
  readonly endpoint?: Partial<Endpoint>;
  /** What `check` must find among other things, each by its name. */
  readonly findings?: readonly (Pick<Finding, "name"> & Partial<Finding>)[];
};
