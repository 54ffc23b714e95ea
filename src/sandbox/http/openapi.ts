import { type Json, schemaOf } from "../json-schema.ts";
import {
  filtersMax,
  filterValuesMax,
  inflatedBytesMax,
  inflationRatioMax,
  refusedRecordsMax,
} from "../limits.ts";
import { sandboxRecordSchemas, recordsQuery } from "../schemas.ts";
import { type Bounds, type Operation, stepOf, steps } from "../steps.ts";
import { answerSchemas } from "./openapi-answers.ts";

const description = `A local stand-in for the service. Our choices where the API document is silent.
Ingestion: members it does not name are refused, in a body and at the top of a record; a date-time has seconds,
at most 59, and an offset; a later record replaces an earlier one of the same id; a 422 names at most
${refusedRecordsMax} records; a gzip that inflates more than ${inflationRatioMax}-fold, or to more than
${inflatedBytesMax} bytes, is refused. Search and enrichment: members it does not name are overlooked, but for
the logic member in the other endpoint's spelling; a search has at most ${filtersMax} filters, a filter
${filterValuesMax} values; text is compared without regard to capital letters; a NOT operator is the opposite of
the other, and holds where there is no value; a sort puts what has no value last.`;

/** Makes the OpenAPI 3.1 document of the sandbox from the schemas that check the requests. */
export function openapiDocument(bounds: Bounds): Json {
  return {
    openapi: "3.1.0",
    info: { title: "sluice sandbox", version: "0.1.0", description },
    paths: { ...servicePaths(bounds), ...windowPaths() },
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
        Object.entries({ ...answerSchemas, ...sandboxRecordSchemas }).map(([name, schema]) => [
          name,
          schemaOf(schema),
        ]),
      ),
    },
  };
}

function servicePaths(bounds: Bounds): Json {
  const described = steps.flatMap((step) => {
    const { method, paths } = stepOf(step);
    return Object.entries(paths).map(([path, describe]) => {
      const operation = operationOf(describe(bounds), method);
      return [path, { [method.toLowerCase()]: operation }] as const;
    });
  });
  return Object.fromEntries(described);
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

function operationOf(of: Operation, method: string): Json {
  if (of.answer === undefined) return storageOperation(of.summary);
  return {
    summary: of.summary,
    security: [method === "GET" ? { basic: [] } : { apiKey: [] }],
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

function storageOperation(summary: string): Json {
  return {
    summary,
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
