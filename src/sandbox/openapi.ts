import { z } from "zod";

import {
  filtersMax,
  filterValuesMax,
  inflatedBytesMax,
  inflationRatioMax,
  refusedRecordsMax,
} from "./limits.ts";
import { answerSchemas } from "./openapi-answers.ts";
import {
  confirmUploadBody,
  generateUploadUrlBody,
  recordSchemas,
  recordsQuery,
  uploadJsonBody,
} from "./schemas.ts";
import { searchBodies } from "./search/query.ts";

type Json = Readonly<Record<string, unknown>>;

const description = `A local stand-in for the service. Our choices where the API document is silent. Ingestion: members
it does not name are refused, in a body and at the top of a record; a date-time has seconds, at most 59, and an offset; a later record
replaces an earlier one of the same id; a 422 names at most ${refusedRecordsMax} records; a gzip that inflates more than
${inflationRatioMax}-fold, or to more than ${inflatedBytesMax} bytes, is refused. Search and enrichment: members it does not
name are overlooked, but for the logic member in the other endpoint's spelling; a search has at most ${filtersMax} filters, a
filter ${filterValuesMax} values; text is compared without regard to capital letters; a NOT operator is the opposite of the
other, and holds where there is no value; a sort puts what has no value last.`;

const withKey = [{ apiKey: [] }];

/** What the settings bound. */
export type Bounds = { readonly bodyBytesMax: number; readonly pageItemsMax: number };

/** Makes the OpenAPI 3.1 document of the sandbox, its schemas from those that check the requests. */
export function openapiDocument({ bodyBytesMax, pageItemsMax }: Bounds): Json {
  return {
    openapi: "3.1.0",
    info: { title: "sluice sandbox", version: "0.1.0", description },
    paths: { ...servicePaths(bodyBytesMax), ...searchPaths(pageItemsMax), ...windowPaths() },
    components: {
      securitySchemes: {
        apiKey: { type: "apiKey", in: "header", name: "x-api-key" },
        basic: {
          type: "http",
          scheme: "basic",
          description: "The API key as user name, no password.",
        },
      },
      schemas: Object.fromEntries(
        Object.entries({ ...answerSchemas, ...recordSchemas }).map(([name, schema]) => [
          name,
          schemaOf(schema),
        ]),
      ),
    },
  };
}

function servicePaths(bodyBytesMax: number): Json {
  const uploadUrl = operation("Gives a signed address for one file.", {
    body: schemaOf(generateUploadUrlBody),
    answer: "UploadAddress",
    security: withKey,
  });
  const confirm = operation("Applies an uploaded file, or says which lines it was refused for.", {
    body: schemaOf(confirmUploadBody),
    answer: "Confirmation",
    security: withKey,
    notFound: "The file key is unknown, or nothing was uploaded to it.",
  });
  const uploadJson = operation(
    `Applies all records of a body of at most ${bodyBytesMax} bytes, or none.`,
    {
      body: uploadJsonSchema(),
      answer: "UploadResult",
      security: withKey,
      tooLarge: "The body is too large.",
    },
  );
  return {
    "/v1/ping": {
      get: operation("Checks the API key.", { answer: "Ping", security: [{ basic: [] }] }),
    },
    "/ingestion/upload-json": { post: uploadJson },
    "/ingestion/generate-upload-url": { post: uploadUrl },
    "/ingestion/request-upload-url": { post: uploadUrl },
    "/ingestion/confirm-upload": { post: confirm },
    "/ingestion/notify-upload-complete": { post: confirm },
    "/_storage/{file_key}": { put: putOperation() },
  };
}

function searchPaths(pageItemsMax: number): Json {
  const bodies = searchBodies(pageItemsMax);
  const found = { security: withKey, tooLarge: "The body is too large." };
  return {
    "/search/accounts": {
      post: operation("Finds accounts, the ingested ones among them.", {
        ...found,
        body: schemaOf(bodies.accounts),
        answer: "AccountPage",
      }),
    },
    "/search/persons": {
      post: operation("Finds persons, the ingested contacts among them.", {
        ...found,
        body: schemaOf(bodies.persons),
        answer: "PersonPage",
      }),
    },
    "/enrichment/job-postings": {
      post: operation("Gives the job postings of an account's domain.", {
        ...found,
        body: schemaOf(bodies.job_postings),
        answer: "JobPostingPage",
      }),
    },
  };
}

function windowPaths(): Json {
  return {
    "/_sandbox/records": {
      get: linesOperation("The records of a stream, the last version per id.", {
        parameters: queryParameters(),
      }),
    },
    "/_sandbox/ledger": { get: linesOperation("One line per request, written before its answer.") },
  };
}

type Operation = {
  readonly answer: keyof typeof answerSchemas;
  readonly security: readonly Json[];
  readonly body?: Json;
  readonly notFound?: string;
  readonly tooLarge?: string;
};

function operation(summary: string, of: Operation): Json {
  return {
    summary,
    security: of.security,
    ...(of.body === undefined
      ? {}
      : { requestBody: { required: true, content: { "application/json": { schema: of.body } } } }),
    responses: {
      200: answer("Done.", of.answer),
      401: answer("The API key is missing or not accepted.", "Message"),
      ...(of.notFound === undefined ? {} : { 404: answer(of.notFound, "Message") }),
      ...(of.tooLarge === undefined ? {} : { 413: answer(of.tooLarge, "Message") }),
      ...(of.body === undefined
        ? {}
        : {
            415: answer("The content type is not application/json.", "Message"),
            422: answer("The request does not validate.", "ValidationError"),
          }),
      429: answer("Too many requests, or credits exhausted.", "Message"),
      500: answer("The sandbox failed.", "Message"),
    },
  };
}

function putOperation(): Json {
  return {
    summary:
      "Stores a gzip-compressed JSONL file of at most 2,000,000,000 bytes. Use the address as it was given.",
    parameters: [
      parameter("file_key", "path"),
      parameter("expires", "query"),
      parameter("signature", "query"),
      parameter("content-encoding", "header"),
    ],
    requestBody: { required: true, content: { "application/jsonl": {} } },
    responses: {
      200: { description: "Stored; whether its lines are accepted is said by confirm-upload." },
      403: xmlError(
        "The signature, the content type or the content encoding is wrong, or the address has expired.",
      ),
      411: xmlError("The length is missing."),
      413: xmlError("The file is too large."),
      501: xmlError("The body is chunked."),
    },
  };
}

function xmlError(text: string): Json {
  return { description: text, content: { "application/xml": {} } };
}

function linesOperation(summary: string, asked?: { readonly parameters: readonly Json[] }): Json {
  return {
    summary,
    ...asked,
    responses: {
      200: { description: "JSON lines.", content: { "application/jsonl": {} } },
      ...(asked === undefined
        ? {}
        : { 422: answer("The request does not validate.", "ValidationError") }),
    },
  };
}

function answer(text: string, name: keyof typeof answerSchemas): Json {
  const schema = { $ref: `#/components/schemas/${name}` };
  return { description: text, content: { "application/json": { schema } } };
}

function parameter(name: string, place: "path" | "query" | "header"): Json {
  return { name, in: place, required: true, schema: { type: "string" } };
}

function queryParameters(): readonly Json[] {
  return Object.entries(recordsQuery.shape).map(([name, schema]) => ({
    name,
    in: "query",
    required: true,
    schema: schemaOf(schema),
  }));
}

function schemaOf(schema: z.ZodType): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: "input" });
  return rest;
}

/** The body as it is checked: the stream decides which schema its records follow. */
function uploadJsonSchema(): Json {
  const { properties, $schema: _, ...envelope } = z.toJSONSchema(uploadJsonBody, { io: "input" });
  const bodies = Object.keys(recordSchemas).map((name) => {
    const data = { type: "array", items: { $ref: `#/components/schemas/${name}` } };
    return { ...envelope, properties: { ...properties, stream: { const: name }, data } };
  });
  return { anyOf: bodies };
}
