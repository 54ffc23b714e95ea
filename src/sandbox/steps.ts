import type { answerSchemas } from "./http/openapi-answers.ts";
import { type Json, schemaOf, uploadJsonSchema } from "./json-schema.ts";
import { confirmUploadBody, generateUploadUrlBody } from "./schemas.ts";
import { searchBodies } from "./search/query.ts";

/** The bounds that come from the settings. */
export type Bounds = { readonly bodyBytesMax: number; readonly pageItemsMax: number };

/** The OpenAPI document's description of one address. */
export type Operation = {
  readonly summary: string;
  /** JSON Schema; absent where there is no body, or the body is a file. */
  readonly body?: Json;
  /** Absent where an object store answers. */
  readonly answer?: keyof typeof answerSchemas;
  /** When the operation answers 404, or 413; absent when it never does. */
  readonly notFound?: string;
  readonly tooLarge?: string;
};

/** One kind of request of the service. */
type ServiceStep = {
  /** In upper case. */
  readonly method: string;
  /** The addresses of the step, aliases included; an address that varies ends with its parameter in braces. */
  readonly paths: Readonly<Record<string, (bounds: Bounds) => Operation>>;
  /** Whether the answer is a page. @default false */
  readonly isPaged?: boolean;
};

/** The beginning of every upload address's path; the file key follows. */
export const storagePath = "/_storage/";

const tooLarge = "The body is too large.";

const uploadAddress = (): Operation => ({
  summary: "Gives a signed address for one file.",
  body: schemaOf(generateUploadUrlBody),
  answer: "UploadAddress",
});

const confirmation = (): Operation => ({
  summary: "Applies an uploaded file, or says which lines it was refused for.",
  body: schemaOf(confirmUploadBody),
  answer: "Confirmation",
  notFound: "The file key is unknown, or nothing was uploaded to it.",
});

/** The steps of the service. Routes, ledger, faults and the OpenAPI document take their names from here. */
const table = {
  ping: {
    method: "GET",
    paths: { "/v1/ping": () => ({ summary: "Checks the API key.", answer: "Ping" }) },
  },
  "upload-json": {
    method: "POST",
    paths: {
      "/ingestion/upload-json": ({ bodyBytesMax }) => ({
        summary: `Applies all records of a body of at most ${bodyBytesMax} bytes, or none.`,
        body: uploadJsonSchema(),
        answer: "UploadResult",
        tooLarge,
      }),
    },
  },
  "generate-upload-url": {
    method: "POST",
    paths: {
      "/ingestion/generate-upload-url": uploadAddress,
      "/ingestion/request-upload-url": uploadAddress,
    },
  },
  put: {
    method: "PUT",
    paths: {
      [`${storagePath}{file_key}`]: () => ({
        summary:
          "Stores a gzip-compressed JSONL file of at most 2,000,000,000 bytes. Use the address as it was given.",
      }),
    },
  },
  "confirm-upload": {
    method: "POST",
    paths: {
      "/ingestion/confirm-upload": confirmation,
      "/ingestion/notify-upload-complete": confirmation,
    },
  },
  search: {
    method: "POST",
    paths: {
      "/search/accounts": ({ pageItemsMax }) => ({
        summary: "Finds accounts, the ingested ones among them.",
        body: schemaOf(searchBodies(pageItemsMax).accounts),
        answer: "AccountPage",
        tooLarge,
      }),
      "/search/persons": ({ pageItemsMax }) => ({
        summary: "Finds persons, the ingested contacts among them.",
        body: schemaOf(searchBodies(pageItemsMax).persons),
        answer: "PersonPage",
        tooLarge,
      }),
    },
    isPaged: true,
  },
  enrich: {
    method: "POST",
    paths: {
      "/enrichment/job-postings": ({ pageItemsMax }) => ({
        summary: "Gives the job postings of an account's domain.",
        body: schemaOf(searchBodies(pageItemsMax).job_postings),
        answer: "JobPostingPage",
        tooLarge,
      }),
    },
    isPaged: true,
  },
} as const satisfies Record<string, ServiceStep>;

/** The name of a step in the ledger and in a script of faults. */
export type Step = keyof typeof table;

/** The names of all steps. */
export const steps = Object.keys(table).filter((name): name is Step => name in table);

/** A step with its defaults. */
export function stepOf(name: Step): Required<ServiceStep> {
  return { isPaged: false, ...table[name] };
}
