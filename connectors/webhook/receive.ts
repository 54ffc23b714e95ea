import { isUtf8 } from "node:buffer";

import { deliveryEventsMax, jsonValuesMax } from "../../src/limits.ts";
import { valuesIn } from "../../src/mapping/json-tokens.ts";
import type { Incoming, Received } from "../contract/push.ts";
import type { WebhookConfig } from "./config.ts";
import { eventIdOf, eventNamer } from "./event-id.ts";
import { jsonParts } from "./json-parts.ts";
import type { Unbelieved, Unsigned, Untakeable, Vouched } from "./signature.ts";
import { signatures } from "./signatures.ts";

type Delivery = { readonly config: WebhookConfig; readonly request: Incoming };

/** Why a body cannot be read, and the message to its sender. */
const faults = {
  bad_utf8: "The body is not UTF-8.",
  not_json: "The body is not JSON: it must be one JSON object, or an array of them.",
  too_many_values: `There are more than ${jsonValuesMax} values in it: post it in several deliveries.`,
  too_many_events: `The array holds more than ${deliveryEventsMax} events: post them in several deliveries.`,
} as const;

function unreadable(reason: keyof typeof faults): Received {
  return { refuse: 400, reason, message: faults[reason] };
}

/** Verifies a delivery, and only then parses it and cuts it into its events. */
export function receiveWebhook(delivery: Delivery): Received {
  const { config, request } = delivery;
  const vouched = verify(delivery);
  if ("refuse" in vouched) return vouched;
  if (!isUtf8(request.body)) return unreadable("bad_utf8");
  const text = request.body.toString("utf8");
  if (valuesIn(text) > jsonValuesMax) return unreadable("too_many_values");
  const parsed = parse(text);
  if (parsed === undefined) return unreadable("not_json");
  const isList = Array.isArray(parsed.value);
  if (Array.isArray(parsed.value) && parsed.value.length > deliveryEventsMax) {
    return unreadable("too_many_events");
  }
  // Cut out of the text: parsed and written again, a number would lose the digits beyond a double's.
  const events = isList ? Array.from(jsonParts(text), ({ json }) => json) : [text.trim()];
  const nameOf = eventNamer(config, { request, vouched });
  return {
    events: events.map((json, index) => {
      return { json, id: nameOf({ json, index: isList ? index : undefined }) };
    }),
  };
}

function verify({ config, request }: Delivery): Unbelieved | Untakeable | Vouched {
  if (config.signature === "none") return {};
  return signatures[config.signature].verify(request, config.secret ?? []);
}

/** The value of a JSON text; undefined if it is not JSON. */
function parse(text: string): { readonly value: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return { value };
  } catch {
    // The parser's own message quotes the text.
    return undefined;
  }
}

/** The headers that make a connection believe a body, signed with the first of its secrets. */
export function signWebhook(
  input: { readonly config: WebhookConfig } & Unsigned,
): Readonly<Record<string, string>> {
  const { config, id } = input;
  const by = eventIdOf(config);
  const named = by !== undefined && "header" in by ? { [by.header]: id } : {};
  const [secret] = config.secret ?? [];
  if (config.signature === "none" || secret === undefined) return named;
  return { ...named, ...signatures[config.signature].sign(input, secret) };
}
