import type { Mutant } from "../mutant.ts";

/** Mutants of docs/facts/faults.md#mutants: requests, answers and waits. */
export const mutantsOfRequests: readonly Mutant[] = [
  {
    id: "M2",
    plants: "a new file key after an ambiguous confirm",
    edits: [
      {
        file: "activities/upload/confirm-upload.ts",
        find: "await noteEnd(deps, ended(), async (end) => await state.endRequest(end));",
        replace: 'await move({ state: "staged", fileKey: null });',
      },
    ],
    test: {
      file: "test/faults/sockets.test.ts",
      title: "row 37: confirm-upload done, and its answer lost",
    },
  },
  {
    id: "M5",
    plants: "Retry-After is capped at 30 s",
    edits: [
      {
        file: "src/api/http/retry-after.ts",
        find: "return Math.max(Number(hint) * 1_000, retryAfterMsMin);",
        replace: "return Math.max(Math.min(Number(hint), 30) * 1_000, retryAfterMsMin);",
      },
    ],
    test: {
      file: "test/faults/outage.test.ts",
      title: "with Retry-After 120 holds back both workers to the second",
    },
  },
  {
    id: "M8",
    plants: "an answer that broke off is taken for a success",
    edits: [
      {
        file: "src/api/ingestion.ts",
        find: "if (answer.status !== 200) return",
        replace: "if (answer.status !== 200 || answer.cutShort !== undefined) return",
      },
    ],
    test: {
      file: "test/faults/bodies.test.ts",
      title: "row 32: confirm-upload answered with less than the length told",
    },
  },
  {
    id: "M12",
    plants: "redirects are followed",
    edits: [
      {
        file: "src/api/http/http.ts",
        find: "    dispatcher,\n    method: endpointOf(call.endpoint).method,",
        replace: `    dispatcher: dispatcher.compose(
      (await import("undici")).interceptors.redirect({ maxRedirections: 5 }),
    ),
    method: endpointOf(call.endpoint).method,`,
      },
    ],
    test: {
      file: "test/security/service-answers.test.ts",
      title: "redirects nothing to another host, whatever the step (T1)",
    },
  },
  {
    id: "M14",
    plants: "each process has limits of its own",
    edits: [
      {
        file: "src/service/rate-limiter.ts",
        find: "this.#key = keyName(settings.apiKey);",
        replace: "this.#key = `${keyName(settings.apiKey)}${Math.random()}`;",
      },
    ],
    test: {
      file: "test/src/service/rate-limiter.test.ts",
      title: "keeps every worker out to the millisecond after a hint",
    },
  },
  {
    id: "M15",
    plants: "a delay of 0 reaches Temporal, which then retries no more",
    edits: [
      {
        file: "activities/failure.ts",
        find: "Math.max(retryDelayMsMin, Math.ceil(retryAfterMs))",
        replace: "Math.ceil(retryAfterMs)",
      },
    ],
    test: {
      file: "test/activities/failure.test.ts",
      title: "a delay of 0 would end all retries",
    },
  },
  {
    id: "M17",
    plants: "the sandbox accepts a part of a gzip file",
    edits: [
      {
        file: "src/sandbox/upload/file-check.ts",
        find: "this.#problem = `File is not a whole gzip",
        replace: "void `File is not a whole gzip",
      },
    ],
    test: {
      file: "test/src/sandbox/upload/file-check.test.ts",
      title: "are refused whole: a gzip cut in its data",
    },
  },
  {
    id: "M20",
    plants: "the pass over pages has no guard",
    edits: [
      {
        file: "src/api/pass.ts",
        find: "if (next > cursor) return next;",
        replace: "return next;",
      },
    ],
    test: {
      file: "test/src/api/pass.test.ts",
      title: "stops at a cursor that is told again",
    },
  },
  {
    id: "M21",
    plants: "what failed together comes back together: no jitter",
    edits: [
      {
        file: "activities/upload/retry-budget.ts",
        find: "return retryInitialMs + random() * Math.max(0, longest - retryInitialMs);",
        replace: "return longest;",
      },
    ],
    test: {
      file: "test/activities/upload/retry-budget.test.ts",
      title: "differs from one attempt to the next",
    },
  },
  {
    id: "M22",
    plants: "a zombie sends although its activity was aborted",
    edits: [
      {
        file: "src/api/http/http.ts",
        find: "        call.signal.throwIfAborted();\n        call.beforeSend?.();",
        replace: "        call.beforeSend?.();",
      },
      {
        file: "src/api/http/http.ts",
        find: '  signal.addEventListener("abort", onAbort, { once: true });\n',
        replace: "",
      },
    ],
    test: {
      file: "test/src/api/http/http.test.ts",
      title: "does not send a confirmUpload once its signal aborted",
    },
  },
  {
    id: "M23",
    plants: "a message tells the signed address",
    edits: [
      {
        file: "src/api/ingestion.ts",
        find: "const what = `PUT ${String(uploadUrl)}`;",
        replace: "const what = `PUT ${uploadUrl.reveal().href}`;",
      },
    ],
    test: {
      file: "test/faults/answers.test.ts",
      title: "row 6: PUT answered 500",
    },
  },
  {
    id: "M25",
    plants: "a 200 that came before the file was sent is believed",
    edits: [
      {
        file: "src/api/classify.ts",
        find: '  if (status === 200 && !sentWhole) return "retry";\n',
        replace: "",
      },
    ],
    test: {
      file: "test/src/api/ingestion-put.test.ts",
      title: "does not believe a 200 that came before the file was sent",
    },
  },
  {
    id: "M26",
    plants: "used-up credits are waited for",
    edits: [
      {
        file: "src/api/classify.ts",
        find: 'return endpointOf(endpoint).family !== "storage" && saysCreditsExhausted(envelope)',
        replace: "return false",
      },
    ],
    test: {
      file: "test/faults/answers.test.ts",
      title: "row 47: confirm-upload answered 429 that the credits are exhausted",
    },
  },
  {
    id: "M27",
    plants: "a block is measured by the wall clock, which may step",
    edits: [
      {
        file: "src/state/rules/breaker.ts",
        find: "return Math.max(0, row.blockedUntil - steadyMs(now));",
        replace:
          "return Math.max(0, row.writtenAtWall + row.blockedUntil - row.writtenAt - now.nowMs);",
      },
    ],
    test: {
      file: "test/src/state/breaker.test.ts",
      title: "ends nothing early when the wall clock steps forward",
    },
  },
];
