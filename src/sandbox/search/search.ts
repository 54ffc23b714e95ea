import { faultName } from "../faults/faults.ts";
import { json } from "../http/answers.ts";
import type { SandboxCall, ExchangeOutcome, StepHandler } from "../http/exchange.ts";
import type { JsonRequests, Taken } from "../http/json-requests.ts";
import type { Step } from "../steps.ts";
import { signatureSha256 } from "../upload/signature.ts";
import type { UploadStore } from "../upload/upload-store.ts";
import { type PageOrder, searchPageOf } from "./pages.ts";
import type { Resource } from "./properties.ts";
import { type Query, type SearchBodies, searchBodies } from "./query.ts";
import type { SearchIndex } from "./search-index.ts";

/** The parts that search and enrichment use. */
export type SearchParts = {
  readonly store: UploadStore;
  /** Opens the index the first time, and returns the same one later. */
  readonly index: () => Promise<SearchIndex>;
  readonly requests: JsonRequests;
  readonly pageItemsMax: number;
};

/** The endpoints under `/search` and `/enrichment` (docs/facts/service.md#search). */
export class Search {
  readonly #parts: SearchParts;
  #bodies: SearchBodies | undefined;

  constructor(parts: SearchParts) {
    this.#parts = parts;
  }

  /** The handler of each step. */
  readonly steps = {
    /** Accounts or persons, by the address. */
    search: async (call) => {
      const of = call.url.pathname.endsWith("persons") ? "persons" : "accounts";
      const asked = await this.#parts.requests.read(call, this.#bodiesMade()[of]);
      if ("refusal" in asked) return () => asked.refusal;
      const index = await this.#indexNow();
      const query = asked.body;
      const find: PageOrder["find"] = (offset) => index[of](query, offset);
      return outcomeOf(call, { ...asked, of, query, find });
    },
    /** Job postings. */
    enrich: async (call) => {
      const asked = await this.#parts.requests.read(call, this.#bodiesMade().job_postings);
      if ("refusal" in asked) return () => asked.refusal;
      const index = await this.#indexNow();
      const { domain, query } = asked.body;
      const find: PageOrder["find"] = (offset) => index.jobPostings(domain, { query, offset });
      return outcomeOf(call, { ...asked, of: "job_postings", domain, query, find });
    },
  } satisfies Partial<Record<Step, StepHandler>>;

  #bodiesMade(): SearchBodies {
    return (this.#bodies ??= searchBodies(this.#parts.pageItemsMax));
  }

  /** The index, up to date with every applied upload. */
  async #indexNow(): Promise<SearchIndex> {
    const { store } = this.#parts;
    const index = await this.#parts.index();
    await index.catchUp(store.applied, (diskName) => store.files.path(diskName));
    return index;
  }
}

type Asked = Pick<Taken<unknown>, "bytes"> & {
  readonly of: Resource;
  readonly domain?: string;
  readonly query: Query;
  readonly find: PageOrder["find"];
};

function outcomeOf({ fault }: SandboxCall, asked: Asked): () => ExchangeOutcome {
  const { of, domain, query, find, bytes } = asked;
  const { page, isHit } = searchPageOf({ query, fault, find });
  const { cursor, ...rest } = query;
  const told = {
    of,
    query: signatureSha256(JSON.stringify(rest)).slice(0, 16),
    domain,
    cursor,
    items: page.data.length,
  };
  const hit = fault !== undefined && isHit ? { fault: faultName(fault) } : {};
  return () => ({ answer: json(200, page), entry: { bytes, page: told, ...hit } });
}
