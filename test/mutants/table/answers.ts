import type { Mutant } from "../mutant.ts";

/** Mutants of the meaning of the service's answers. */
export const mutantsOfAnswers: readonly Mutant[] = [
  {
    id: "S70",
    plants: "a 200 that took some of the records counts as acceptance of all",
    edits: [
      {
        file: "src/api/classify.ts",
        find: "const accepted = isMutating ? acceptanceOf(json, exchange.records) : undefined;",
        replace:
          "const accepted = { ...acceptanceOf(json, exchange.records), isWhole: true } as const;",
      },
    ],
    test: {
      file: "test/activities/upload/upload-json.test.ts",
      title: "rejects a record of which it alone was said that it was not taken",
    },
  },
  {
    id: "S71",
    plants: "a 409 that says that the file was rejected counts as acceptance",
    edits: [
      {
        file: "src/api/acceptance.ts",
        find: 'if (refusedBefore.test(text) || refusedSince.test(text)) return "refused";',
        replace: 'if (refusedBefore.test(text) || refusedSince.test(text)) return "done";',
      },
    ],
    test: {
      file: "test/activities/upload/confirm-upload.test.ts",
      title: "sends the file's records in other files after a 409 of a file that was rejected",
    },
  },
  {
    id: "S72",
    plants: "records of a 200 that took some of them count as certainly not taken",
    edits: [
      {
        file: "src/api/classify.ts",
        find: "throw new ApiRejectedError(message, { refused: [], mayHaveSucceeded: true });",
        replace: "throw new ApiRejectedError(message, { refused: [] });",
      },
    ],
    test: {
      file: "test/activities/upload/upload-json.test.ts",
      title: "sends no part that was taken in part as a whole, and counts it as possibly repeated",
    },
  },
  {
    id: "S73",
    plants: "a service that counts from 1 has good neighbours rejected",
    edits: [
      {
        file: "activities/stage/split-chunk.ts",
        find: "if (first > 0 && first < records.length) {",
        replace: "if (first > records.length) {",
      },
    ],
    test: {
      file: "test/activities/stage/split-chunk.test.ts",
      title: "rejects no good neighbour when the service counts from 1",
    },
  },
  {
    id: "S74",
    plants: "an id with a full stop is taken, so that a signed text can be parted elsewhere",
    edits: [
      {
        file: "src/security/standard-webhooks.ts",
        find: "return /^[^.\\p{Cc}]{1,256}$/u.test(text);",
        replace: "return /^[^\\p{Cc}]{1,256}$/u.test(text);",
      },
    ],
    test: {
      file: "test/connectors/webhook/standard.test.ts",
      title: "refuses an id and a body that were parted elsewhere than they were signed",
    },
  },
  {
    id: "S75",
    plants: "a total that makes no sense costs a page that is paid for",
    edits: [
      {
        file: "src/api/search.ts",
        find: "const count = z.int().min(0).nullish().catch(undefined);",
        replace: "const count = z.int().min(0).nullish();",
      },
    ],
    test: {
      file: "test/src/api/search.test.ts",
      title: "takes any member of meta to be absent",
    },
  },
  {
    id: "S76",
    plants: "the sandbox never answers a request without a body",
    edits: [
      {
        file: "src/sandbox/http/request-body.ts",
        find:
          'if (raw.readableEnded) resolve();\n    else if (raw.destroyed) reject(new Error("the ' +
          'client went away"));',
        replace: "",
      },
    ],
    test: {
      file: "test/src/sandbox/upload-json.test.ts",
      title: "is answered 422 by /search/accounts when it has none",
    },
  },
  {
    id: "S195",
    plants: "an object of errors beside a good status is not a refusal",
    edits: [
      {
        file: "src/api/acceptance.ts",
        find: "faultName.test(name) && Object.keys(value).length > 0",
        replace: "faultName.test(name) && Object.keys(value).length > 99",
      },
    ],
    test: {
      file: "test/src/api/acceptance.test.ts",
      title: "does not take { errors: [Object] } beside a good status for acceptance",
    },
  },
  {
    id: "S1794",
    plants: "an upload address whose session has ended ends the run, in place of a new address",
    edits: [
      {
        file: "src/api/classify.ts",
        find: "  return isExpired ? 403 : status;",
        replace: "  return isExpired ? 400 : status;",
      },
    ],
    test: {
      file: "test/src/api/classify.test.ts",
      title: "judges 400 ExpiredToken as the table says",
    },
  },
  {
    id: "S1850",
    plants: "a service that compresses unless it is told not to is sent records again and again",
    edits: [
      {
        file: "src/api/api-call.ts",
        find: '      "accept-encoding": "identity",\n',
        replace: "",
      },
    ],
    test: {
      file: "test/src/api/http/http-faults.test.ts",
      title: "has a service that compresses unless it is told not to answer as it is",
    },
  },
  {
    id: "S1851",
    plants: "a page in place of an answer is told of as an object that is undefined",
    edits: [
      {
        file: "src/api/classify.ts",
        find: 'json === undefined ? "the answer is not JSON" : issueText(parsed.error)',
        replace: "issueText(parsed.error)",
      },
    ],
    test: {
      file: "test/src/api/classify.test.ts",
      title: "says that an answer is not JSON",
    },
  },
  {
    id: "S1933",
    plants: "a key that is written in the file is said to be in two settings",
    edits: [
      {
        file: "src/api/http/http.ts",
        find: "apiKeySource === field ? field",
        replace: "apiKeySource === '' ? field",
      },
    ],
    test: {
      file: "test/src/api/search.test.ts",
      title: "says which setting holds the key that was refused",
    },
  },
  {
    id: "S2142",
    plants:
      "a part counts as one that the service fails on when the service said when to come back",
    edits: [
      {
        file: "src/api/http/http.ts",
        find: "cause === undefined ? retryAfterMsMin : undefined",
        replace: "cause === retryAfterMsMin ? retryAfterMsMin : undefined",
      },
    ],
    test: {
      file: "test/faults/poison.test.ts",
      title: "is not taken for one while the service says when to come back",
    },
  },
  {
    id: "S2143",
    plants: "a 503 to an upload that asks to wait for days is waited for",
    edits: [
      {
        file: "src/api/http/http.ts",
        find: "if (isTooLong) throw asksTooLong(cause);",
        replace: "if (isTooLong && cause !== undefined) throw asksTooLong(cause);",
      },
    ],
    test: {
      file: "test/src/api/http/http.test.ts",
      title: "hears of a day when a 503 asks for 86401 seconds, and the run stops",
    },
  },
];
