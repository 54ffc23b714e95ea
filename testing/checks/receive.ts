import { randomBytes } from "node:crypto";

import type {
  Incoming,
  IncomingEvent,
  PushSource,
  Received,
} from "../../connectors/contract/push.ts";
import type { Check, PushSubject } from "../check.ts";
import { CheckFailed, mustBe, needed } from "../failed.ts";
import type { PushHarness } from "../harness.ts";
import { plantedPiece } from "./watch.ts";

type Headers = Readonly<Record<string, string>>;

/** A body that is signed, and when it comes in. */
type Delivery = { readonly body: Buffer; readonly id: string; readonly laterMs?: number };

/** A higher limit, times the deliveries of a busy moment, would not protect a receiver's memory. */
const bodyBytesSensible = 100_000_000;

/** How much later a sender whose reply was lost tries again: within every signature's time. */
const againMs = 30_000;

/** A push connector with the deliveries of its harness. */
class Sender {
  readonly #source: PushSource;
  readonly #harness: PushHarness;
  readonly #config: unknown;
  readonly #now = Date.now();

  constructor({ source, harness }: PushSubject) {
    const parsed = source.config.safeParse(harness.config);
    if (!parsed.success) {
      const fields = parsed.error.issues.map(({ path }) => path.join("."));
      throw new CheckFailed(
        "the harness's own config to be valid",
        `faults in ${fields.join(", ")}`,
      );
    }
    this.#source = source;
    this.#harness = harness;
    this.#config = parsed.data;
  }

  delivery(eventIds: readonly string[], id: string): Delivery {
    return { body: Buffer.from(this.#harness.bodyOf(eventIds.map((one) => ({ id: one })))), id };
  }

  /** The headers that make a delivery believed, by lower-case name. */
  sign({ body, id, laterMs = 0 }: Delivery): Headers {
    const at = this.#now + laterMs;
    const signed =
      this.#harness.sign?.(body, id) ?? this.#source.sign?.({ config: this.#config, body, id, at });
    const headers = needed(signed, "neither the harness nor the connector has a `sign`");
    return mapped(headers, (value) => value);
  }

  receive(delivery: Delivery, headers: Headers = this.sign(delivery)): Received {
    const { body, laterMs = 0 } = delivery;
    const receivedAt = this.#now + laterMs;
    const request: Incoming = { headers, query: new URLSearchParams(), body, receivedAt };
    return this.#source.receive({ config: this.#config, request });
  }

  /** @throws {CheckFailed} it is refused */
  events(delivery: Delivery, what: string): readonly IncomingEvent[] {
    const answer = this.receive(delivery);
    if ("events" in answer) return answer.events;
    throw new CheckFailed(`${what} to be taken`, `${answer.refuse} (${answer.reason})`);
  }

  mustHaveEndpoint(): void {
    const { path, ...numbers } = this.#source.endpoint(this.#config);
    mustBe(path.startsWith("/"), "an endpoint's `path` that begins with /", "another");
    const { bodyBytesMax: bytes } = numbers;
    const isSensible = Number.isInteger(bytes) && bytes > 0 && bytes <= bodyBytesSensible;
    const expected = `an endpoint's \`bodyBytesMax\` of 1 to ${bodyBytesSensible}`;
    mustBe(isSensible, expected, String(bytes));
    for (const [name, value] of Object.entries(numbers)) {
      const isLimit = Number.isFinite(value) && value >= 0;
      mustBe(isLimit, `an endpoint's \`${name}\` that is a limit`, String(value));
    }
  }
}

/** Changes the values of headers; names are in lower case, as they come in. */
function mapped(headers: Headers, change: (value: string) => string): Headers {
  const named = Object.entries(headers).map(
    ([name, value]) => [name.toLowerCase(), change(value)] as const,
  );
  return Object.fromEntries(named);
}

/** Fails unless each event has an id of its own. */
function idsOf(events: readonly IncomingEvent[], count: number, what: string): readonly string[] {
  mustBe(events.length === count, `${count} events of ${what}`, String(events.length));
  const ids = events.flatMap(({ id }) => (id === undefined ? [] : [id]));
  mustBe(ids.length === count, `an id for each event of ${what}`, `${ids.length} of ${count}`);
  const different = new Set(ids).size;
  mustBe(different === count, `another id for each event of ${what}`, `${different} ids`);
  return ids;
}

/** Fails unless the same delivery gives the same ids, whenever it comes, and another one gives others. */
function mustNameEvents(sender: Sender): void {
  const first = sender.delivery(["sample-1", "sample-2", "sample-3"], "delivery-1");
  const what = "a good delivery";
  const events = sender.events(first, what);
  const ids = idsOf(events, 3, what);
  const jsons = events.map(({ json }) => json);
  mustBe(jsons.every(isJson), "events whose `json` is JSON", "one that is not");
  for (const id of ["sample-1", "sample-2", "sample-3"]) {
    const holders = jsons.filter((json) => json.includes(id)).length;
    mustBe(holders === 1, "each event's own content in its `json`", `${holders} with that of one`);
  }
  for (const laterMs of [0, againMs]) {
    const again = `the same delivery ${laterMs === 0 ? "again" : `again, signed ${laterMs / 1_000} s later`}`;
    const repeated = idsOf(sender.events({ ...first, laterMs }, again), 3, again);
    const isKept = repeated.every((id, index) => id === ids[index]);
    mustBe(isKept, `the same ids for ${again}`, "others");
  }
  const second = sender.delivery(["sample-4"], "delivery-2");
  const others = idsOf(sender.events(second, "another delivery"), 1, "another delivery");
  const isOther = others.every((id) => !ids.includes(id));
  mustBe(isOther, "other ids for another delivery", "one that was there before");
}

/** Changes a letter or digit in the middle: at the end of a base64 text, a change might mean nothing. */
function spoiled(value: string): string {
  const middle = Math.floor(value.length / 2);
  const at = value.slice(middle).search(/[A-Za-z0-9]/) + middle;
  return `${value.slice(0, at)}${value[at] === "7" ? "8" : "7"}${value.slice(at + 1)}`;
}

/** Fails unless deliveries are refused that are unsigned, signed otherwise, or changed after they were signed. */
function mustRefuseUnsigned(sender: Sender): void {
  const good = sender.delivery(["sample-1"], "delivery-1");
  const headers = sender.sign(good);
  mustBe(Object.keys(headers).length > 0, "a harness whose deliveries are signed", "no header");
  mustBeRefused(sender.receive(good, {}), "a delivery without a signature");
  mustBeRefused(sender.receive(good, mapped(headers, spoiled)), "a delivery with a bad signature");
  const empty = mapped(headers, () => "");
  mustBeRefused(sender.receive(good, empty), "a delivery with empty headers");
  // A bearer token does not cover the body.
  const other = sender.delivery(["sample-2"], "delivery-1");
  if (areSame(headers, sender.sign(other)) || !areSame(headers, sender.sign(good))) return;
  mustBeRefused(sender.receive(other, headers), "a body that was changed after it was signed");
}

function areSame(one: Headers, other: Headers): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function mustBeRefused(answer: Received, what: string): void {
  const came = "refuse" in answer ? String(answer.refuse) : `${answer.events.length} events`;
  mustBe(came === "401", `401 for ${what}`, came);
}

/** Bodies that are not valid, each of which a stranger may post. */
function garbage(): readonly (readonly [what: string, body: Buffer])[] {
  return [
    ["no byte", Buffer.alloc(0)],
    ["random bytes", randomBytes(1_000)],
    ["half of a JSON text", Buffer.from(`[{"id":"${plantedPiece}"},{"id"`)],
    ["deep JSON", Buffer.from("[".repeat(100_000) + "]".repeat(100_000))],
    ["bytes that are not UTF-8", Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d])],
    ["null", Buffer.from("null")],
    ["a number", Buffer.from("17")],
    ["a list of nulls", Buffer.from("[null,null]")],
    ["an object with a prototype", Buffer.from('{"__proto__":{"id":"sample"},"id":{}}')],
  ];
}

/** Fails unless invalid bodies are refused; with a signature, they may also become JSON events. */
function mustOutliveGarbage(sender: Sender): void {
  for (const [what, body] of garbage()) {
    const delivery = { body, id: "delivery-garbage" };
    const unsigned = answerOf(sender, delivery, {});
    mustBe("refuse" in unsigned, `400 or 401 for ${what}, unsigned`, "events");
    const answer = answerOf(sender, delivery, sender.sign(delivery));
    if ("events" in answer) {
      const isTaken = answer.events.every(({ json }) => isJson(json));
      mustBe(
        isTaken,
        `${what}, signed, to be refused or to become JSON`,
        "an event that is not JSON",
      );
      continue;
    }
    const told = "message" in answer ? answer.message : "";
    const isQuiet = !`${told}${answer.reason}`.includes(plantedPiece);
    mustBe(isQuiet, `a refusal of ${what} that repeats nothing of it`, "a piece of it");
  }
}

function answerOf(sender: Sender, delivery: Delivery, headers: Headers): Received {
  try {
    return sender.receive(delivery, headers);
  } catch (error) {
    const name = error instanceof Error ? error.name : "a throw";
    throw new CheckFailed("a refusal, whatever a stranger posts", name);
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** A7: how a push connector deals with deliveries, good and bad. */
export const receiveChecks: readonly Check<PushSubject>[] = [
  {
    id: "A7",
    title: "takes each delivery once, and only from its sender",
    why:
      "Senders post again whatever was not answered: events without ids that stay the same are sent twice, " +
      "events that share one are lost, and a stranger's are believed.",
    run: async (subject) => {
      const sender = new Sender(subject);
      mustNameEvents(sender);
      mustRefuseUnsigned(sender);
      sender.mustHaveEndpoint();
      mustOutliveGarbage(sender);
    },
  },
];
