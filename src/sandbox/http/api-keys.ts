import { compareSignatures, signatureSha256 } from "../upload/signature.ts";

/** The API keys that are accepted. */
export class ApiKeys {
  readonly #accepted: readonly string[] | undefined;

  /** Undefined accepts every key that is not empty. */
  constructor(accepted: readonly string[] | undefined) {
    this.#accepted = accepted;
  }

  /** The owner of a key, which is its SHA-256; undefined when the key is missing or not accepted. */
  owner(key: string | readonly string[] | undefined): string | undefined {
    if (typeof key !== "string" || key === "") return undefined;
    // Every key is compared, so that the time does not reveal which one matched.
    const isAccepted =
      this.#accepted?.filter((accepted) => compareSignatures(key, accepted)).length !== 0;
    return isAccepted ? signatureSha256(key) : undefined;
  }
}

/** The API key of a Basic header: the user name, with an empty password (docs/facts/service.md#authentication). */
export function basicKey(authorization: string | undefined): string | undefined {
  const encoded = /^basic ([\w+/]+=*)$/i.exec(authorization ?? "")?.[1];
  if (encoded === undefined) return undefined;
  return /^([^:]+):$/.exec(Buffer.from(encoded, "base64").toString("utf8"))?.[1];
}

/** Counts requests per key and clock minute. */
export class RequestsPerMinute {
  readonly #max: number;
  #minute = 0;
  readonly #counts = new Map<string, number>();

  /** Allows this many requests. */
  constructor(max: number) {
    this.#max = max;
  }

  /** Counts a request at this time, and says whether it is still within the limit. */
  isWithin(owner: string, atMs: number): boolean {
    const minute = Math.floor(atMs / 60_000);
    if (minute !== this.#minute) this.#counts.clear();
    this.#minute = minute;
    const count = (this.#counts.get(owner) ?? 0) + 1;
    this.#counts.set(owner, count);
    return count <= this.#max;
  }
}
