import { hash } from "node:crypto";

import { textOfString } from "../../src/mapping/json-tokens.ts";
import type { Incoming } from "../contract/push.ts";
import type { EventId, WebhookConfig } from "./config.ts";
import { jsonAt } from "./json-parts.ts";
import { headerText, type Vouched } from "./signature.ts";

const defaults: Readonly<Record<WebhookConfig["signature"], EventId | undefined>> = {
  standard: { header: "webhook-id" },
  github: { header: "x-github-delivery" },
  stripe: { pointer: "/id" },
  bearer: undefined,
  none: undefined,
};

/** The header or pointer that names the events of a connection; undefined for none. */
export function eventIdOf({ signature, event_id: own }: WebhookConfig): EventId | undefined {
  return own ?? defaults[signature];
}

/** One event of a delivery, as it is written; `index` is its place in a list, undefined for one that came alone. */
type Written = { readonly json: string; readonly index: number | undefined };

/** The name of a delivery, followed by an event's place in a list; no id that came alone may look like that. */
function nameOf(delivery: string, index: number | undefined): string {
  return index === undefined && !delivery.includes("#") ? delivery : `${delivery}#${index ?? 0}`;
}

/**
 * Returns a function that names the events of a delivery. Events without an id are named by the signed timestamp and
 * the body, so that a replayed delivery changes nothing.
 */
export function eventNamer(
  config: WebhookConfig,
  delivery: { readonly request: Incoming; readonly vouched: Vouched },
): (event: Written) => string | undefined {
  const { request, vouched } = delivery;
  const by = eventIdOf(config);
  const header = by !== undefined && "header" in by ? headerOf(request, by.header) : undefined;
  if (header !== undefined) return ({ index }) => nameOf(header, index);
  const { timestamp } = vouched;
  const digest = timestamp === undefined ? undefined : hash("sha256", request.body);
  return ({ json, index }) => {
    const own = by !== undefined && "pointer" in by ? idAt(json, by.pointer) : undefined;
    return own ?? (timestamp === undefined ? undefined : `${timestamp}#${index ?? 0}#${digest}`);
  };
}

/** One of a request's own headers: the name comes from the configuration, and may be one that every object has. */
function headerOf({ headers }: Incoming, name: string): string | undefined {
  const header = Object.hasOwn(headers, name) ? headers[name] : undefined;
  return header === undefined || header === "" ? undefined : headerText(header);
}

/** The id at a pointer: a text that is not empty, or a whole number with all of its digits. */
function idAt(json: string, pointer: string): string | undefined {
  const found = jsonAt(json, pointer);
  if (found?.startsWith('"') === true) return textOfString(found) || undefined;
  return found !== undefined && /^-?\d+$/.test(found) ? found : undefined;
}
