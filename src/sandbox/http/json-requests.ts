import type { z } from "zod";

import { issuesAt, issuesOf } from "../upload/record-check.ts";
import { type SandboxAnswer, invalid, message } from "./answers.ts";
import type { ApiKeys } from "./api-keys.ts";
import type { SandboxCall, ExchangeOutcome } from "./exchange.ts";
import type { Quota } from "./quota.ts";
import { readRequestBody } from "./request-body.ts";

/** The parts that decide whether a request with a JSON body is accepted. */
export type JsonRequestsParts = {
  readonly keys: ApiKeys;
  /** The quota of the API that the requests belong to. */
  readonly quota: Quota;
  readonly bodyBytesMax: number;
};

/** An accepted request: its body, the owner of its key, and the size of its body in bytes. */
export type Taken<Body> = { readonly body: Body; readonly owner: string; readonly bytes: number };

/** Reads the requests of one API that come with an `x-api-key` and a JSON body. */
export class JsonRequests {
  readonly #parts: JsonRequestsParts;

  constructor(parts: JsonRequestsParts) {
    this.#parts = parts;
  }

  /** Checks the key, then reads and parses the body; or returns the refusal of the request. */
  async read<Schema extends z.ZodType>(
    { request }: SandboxCall,
    schema: Schema,
  ): Promise<{ readonly refusal: ExchangeOutcome } | Taken<z.output<Schema>>> {
    const { keys, quota, bodyBytesMax } = this.#parts;
    const owner = keys.owner(request.headers["x-api-key"]);
    if (owner === undefined) return refuse(message(401, "x-api-key is missing or not valid"), 0);
    const over = quota.take(owner, Date.now());
    if (over !== undefined) {
      return { refusal: { answer: over.answer, entry: { fault: over.fault } } };
    }
    if (!/^application\/json\s*(;|$)/i.test(request.headers["content-type"] ?? "")) {
      return refuse(message(415, "Content-Type must be application/json"), 0);
    }
    const read = await readRequestBody(request, bodyBytesMax);
    const { text, bytes } = read;
    if (text === undefined) {
      if (read.why === "not UTF-8") return notJson("Body is not UTF-8", bytes);
      return refuse(message(413, `The body is larger than ${bodyBytesMax} bytes`), bytes);
    }
    let body: unknown;
    try {
      body = JSON.parse(text);
    } catch {
      return notJson("Body is not JSON", bytes);
    }
    const parsed = schema.safeParse(body);
    if (!parsed.success) return refuse(invalid(issuesAt(["body"], issuesOf(parsed.error))), bytes);
    return { body: parsed.data, owner, bytes };
  }
}

function notJson(msg: string, bytes: number): { readonly refusal: ExchangeOutcome } {
  return refuse(invalid([{ loc: ["body"], msg, type: "json_invalid" }]), bytes);
}

function refuse(answer: SandboxAnswer, bytes: number): { readonly refusal: ExchangeOutcome } {
  return { refusal: { answer, entry: { bytes } } };
}
