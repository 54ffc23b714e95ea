import { compareSignatures, signatureSha256 } from "../upload/signature.ts";

/** The API keys that are let in. */
export class ApiKeys {
  readonly #accepted: readonly string[] | undefined;

  /** Undefined lets in every key that is not empty. */
  constructor(accepted: readonly string[] | undefined) {
    this.#accepted = accepted;
  }

  /** The owner that a key stands for, its SHA-256; undefined when it is missing or not let in. */
  owner(key: string | readonly string[] | undefined): string | undefined {
    if (typeof key !== "string" || key === "") return undefined;
    // Every key is compared, so that the time does not tell which one it was.
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

  /** Lets so many through. */
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
