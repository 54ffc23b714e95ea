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

/** What search and enrichment are given. */
export type SearchParts = {
  readonly store: UploadStore;
  readonly index: SearchIndex;
  readonly requests: JsonRequests;
  readonly pageItemsMax: number;
};

/** The endpoints under `/search` and `/enrichment` (docs/facts/service.md#search). */
export class Search {
  readonly #parts: SearchParts;
  readonly #bodies: SearchBodies;

  constructor(parts: SearchParts) {
    this.#parts = parts;
    this.#bodies = searchBodies(parts.pageItemsMax);
  }

  /** What each step does. */
  readonly steps = {
    /** By the address, accounts or persons. */
    search: async (call) => {
      const of = call.url.pathname.endsWith("persons") ? "persons" : "accounts";
      const asked = await this.#parts.requests.read(call, this.#bodies[of]);
      if ("refusal" in asked) return () => asked.refusal;
      await this.#catchUp();
      const query = asked.body;
      const find: PageOrder["find"] = (offset) => this.#parts.index[of](query, offset);
      return outcomeOf(call, { ...asked, of, query, find });
    },
    /** Job postings. */
    enrich: async (call) => {
      const asked = await this.#parts.requests.read(call, this.#bodies.job_postings);
      if ("refusal" in asked) return () => asked.refusal;
      await this.#catchUp();
      const { domain, query } = asked.body;
      const find: PageOrder["find"] = (offset) =>
        this.#parts.index.jobPostings(domain, { query, offset });
      return outcomeOf(call, { ...asked, of: "job_postings", domain, query, find });
    },
  } satisfies Partial<Record<Step, StepHandler>>;

  async #catchUp(): Promise<void> {
    const { store, index } = this.#parts;
    await index.catchUp(store.applied, (diskName) => store.files.path(diskName));
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
