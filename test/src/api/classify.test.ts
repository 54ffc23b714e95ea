import { describe, expect, it } from "vitest";
import { z } from "zod";

import { classifyAnswer, readAccepted } from "../../../src/api/classify.ts";
import { endpointNames, type EndpointName } from "../../../src/api/endpoints.ts";
import type { Answer, AnswerOutcome, Exchange } from "../../../src/api/exchange.ts";
import { ApiRejectedError } from "../../../src/errors.ts";
import { everywhere } from "./support.ts";

const now = Date.UTC(2026, 0, 1);

function exchangeOf(endpoint: EndpointName): Exchange {
  const addressField = endpoint === "putFile" ? undefined : "api.base_url";
  return { endpoint, what: `THE ${endpoint}`, addressField, records: 10 };
}

function outcomeOf(endpoint: EndpointName, answer: Partial<Answer>): AnswerOutcome {
  return classifyAnswer(
    exchangeOf(endpoint),
    { status: 200, headers: {}, text: "", sentWhole: true, ...answer },
    now,
  );
}

/** An outcome in one word: its kind, or the failure's type. */
function wordOf(outcome: AnswerOutcome): string {
  return outcome.kind === "failed" ? outcome.error.code : outcome.kind;
}

function messageOf(outcome: AnswerOutcome): string {
  if (outcome.kind === "accepted") return "";
  return outcome.kind === "failed" ? outcome.error.message : outcome.message;
}

const xml = (code: string): string => `<Error><Code>${code}</Code></Error>`;

type Line = readonly [what: string, answer: Partial<Answer>, expected: Record<string, string>];

/** A line for each status, answered without headers or a body. */
function answered(statuses: readonly number[], expected: Record<string, string>): readonly Line[] {
  return statuses.map((status) => [`${status}`, { status }, expected]);
}

const asking = { ping: "Unavailable", generateUploadUrl: "Unavailable" };
const lost = everywhere("OutcomeUnknown", { ...asking, putFile: "Unavailable" });
const refused = everywhere("ContractBroken", {
  confirmUpload: "RecordsRejected",
  uploadJson: "RecordsRejected",
});
const hint = { "retry-after": "1" };

/** An answer, and its meaning for each endpoint. */
const table: readonly Line[] = [
  ...answered([200], everywhere("accepted")),
  ["429 with seconds", { status: 429, headers: { "retry-after": "120" } }, everywhere("slowDown")],
  ["429 without a hint", { status: 429 }, everywhere("slowDown")],
  [
    "429 credits exhausted beside a hint",
    { status: 429, headers: hint, text: '{"message":"credits exhausted"}' },
    everywhere("creditsExhausted", { putFile: "slowDown" }),
  ],
  ...answered([408, 500, 502, 503, 504, 599], lost),
  ["400 RequestTimeout", { status: 400, text: xml("RequestTimeout") }, lost],
  [
    "400 ExpiredToken",
    { status: 400, text: xml("ExpiredToken") },
    { ...refused, putFile: "Unavailable" },
  ],
  ["503 with a hint", { status: 503, headers: hint }, everywhere("slowDown")],
  ["503 SlowDown", { status: 503, text: xml("SlowDown") }, everywhere("slowDown")],
  ...answered(
    [300, 301, 302, 303, 304, 307, 308, 402, 405, 406, 411, 412, 415, 501],
    everywhere("ContractBroken"),
  ),
  ...answered([401], everywhere("keyRefused", { putFile: "ContractBroken" })),
  ...answered([403], everywhere("keyRefused", { putFile: "Unavailable" })),
  ...answered(
    [404],
    everywhere("ContractBroken", { putFile: "Unavailable", confirmUpload: "Unavailable" }),
  ),
  ...answered(
    [410],
    everywhere("ContractBroken", { putFile: "Unavailable", confirmUpload: "UploadGone" }),
  ),
  ...answered(
    [409],
    everywhere("Unavailable", { uploadJson: "ContractBroken", search: "ContractBroken" }),
  ),
  ...(
    [
      ["confirmed", "accepted"],
      ["rejected", "RecordsRejected"],
    ] as const
  ).map(([done, confirmUpload]): Line => [
    `409 already ${done}`,
    { status: 409, text: `{"message":"Upload already ${done}"}` },
    everywhere("ContractBroken", { ...asking, putFile: "Unavailable", confirmUpload }),
  ]),
  ...answered(
    [413],
    everywhere("TooLarge", {
      ping: "ContractBroken",
      generateUploadUrl: "ContractBroken",
      confirmUpload: "ContractBroken",
    }),
  ),
  ...answered([400, 422], refused),
  ...answered(
    [201, 202, 204, 206],
    everywhere("ContractBroken", {
      putFile: "Unavailable",
      confirmUpload: "OutcomeUnknown",
      uploadJson: "OutcomeUnknown",
    }),
  ),
  [
    "200 without end",
    { cutShort: "UND_ERR_RES_EXCEEDED_MAX_SIZE" },
    everywhere("ContractBroken", { search: "TooLarge" }),
  ],
  ["200 before the file was sent", { sentWhole: false }, everywhere("Unavailable")],
];

describe("classifyAnswer", () => {
  it.each(table)("judges %s as the table says", (_, answer, expected) => {
    const words = endpointNames.map((name) => [name, wordOf(outcomeOf(name, answer))]);
    expect(Object.fromEntries(words)).toEqual(expected);
  });

  it.each([
    ["putFile", 403, "Unavailable", "ContractBroken", 3],
    ["putFile", 404, "Unavailable", "ContractBroken", 3],
    ["confirmUpload", 404, "Unavailable", "UploadGone", 5],
    ["generateUploadUrl", 409, "Unavailable", "ContractBroken", 3],
    ["putFile", 206, "Unavailable", "ContractBroken", 3],
    ["uploadJson", 202, "OutcomeUnknown", "ContractBroken", 3],
  ] as const)("lets %s meet a %i as %s, and as %s the %ith time", (...expected) => {
    const [endpoint, status, code, becomes, timesMax] = expected;
    const outcome = outcomeOf(endpoint, { status });
    expect(outcome).toMatchObject({
      error: { code, retryBudget: { timesMax, becomes: { code: becomes } } },
    });
  });

  it.each([408, 410, 500, 503])("bears a %i at a PUT without end", (status) => {
    expect(outcomeOf("putFile", { status })).toMatchObject({ error: { retryBudget: undefined } });
  });

  it("stops at an answer without end, and does not know whether it was done", () => {
    const answer = { cutShort: "UND_ERR_RES_EXCEEDED_MAX_SIZE" };
    expect(outcomeOf("uploadJson", answer)).toMatchObject({ error: { mayHaveSucceeded: true } });
    expect(outcomeOf("search", answer)).toMatchObject({ error: { mayHaveSucceeded: true } });
    expect(outcomeOf("generateUploadUrl", answer)).toMatchObject({
      error: { mayHaveSucceeded: false },
    });
  });

  it("keeps in mind that what a gateway answers 503 may have been done", () => {
    const answer = { status: 503, headers: { "retry-after": "5" } };
    expect(outcomeOf("uploadJson", answer)).toMatchObject({
      hintMs: 5_000,
      mayHaveSucceeded: true,
    });
    expect(outcomeOf("confirmUpload", answer)).toMatchObject({ mayHaveSucceeded: true });
    expect(outcomeOf("search", answer)).toMatchObject({ mayHaveSucceeded: true });
    expect(outcomeOf("generateUploadUrl", answer)).toMatchObject({ mayHaveSucceeded: false });
  });

  it.each([
    ["uploadJson", ["body", "data", 3, "domain"]],
    ["confirmUpload", ["file", 3, "domain"]],
  ] as const)("reads which record %s was refused for", (endpoint, loc) => {
    const text = JSON.stringify({
      detail: [{ loc, msg: "bad value acme", type: "value_error", input: "acme" }],
    });
    const outcome = outcomeOf(endpoint, { status: 422, text });
    const error = outcome.kind === "failed" ? outcome.error : undefined;
    expect(error).toBeInstanceOf(ApiRejectedError);
    expect(error).toMatchObject({ refused: [{ index: 3, field: "domain" }] });
    expect(error?.message).toBe(`THE ${endpoint}: 422 value_error`);
  });

  it("names no record when the place is another endpoint's", () => {
    const text = JSON.stringify({
      detail: [{ loc: ["body", "data", 3], msg: "", type: "missing" }],
    });
    const outcome = outcomeOf("confirmUpload", { status: 422, text });
    expect(outcome).toMatchObject({ error: { refused: [] } });
  });

  it("says which setting to check when the key is refused", () => {
    const outcome = outcomeOf("confirmUpload", { status: 401, text: '{"message":"Unauthorized"}' });
    expect(messageOf(outcome)).toBe("THE confirmUpload: 401 Unauthorized");
  });

  it("names the target of a redirect by its host alone", () => {
    const location = "https://user:secret@other.example:8443/secret?signature=secret";
    const outcome = outcomeOf("putFile", { status: 307, headers: { location } });
    expect(messageOf(outcome)).toBe(
      "THE putFile: 307 redirects to other.example:8443, which is not followed",
    );
  });

  it.each([
    [undefined, "an unreadable address"],
    [["https://a.example", "https://b.example"], "an unreadable address"],
    ["/elsewhere", "itself"],
  ])("tells of the location %j as %s", (location, target) => {
    const outcome = outcomeOf("ping", { status: 302, headers: { location } });
    expect(messageOf(outcome)).toContain(`redirects to ${target},`);
  });

  it.each([400, 413, 422, 500, 502])(
    "never quotes a %i, whose words may hold a record",
    (status) => {
      for (const endpoint of endpointNames.filter((each) => each !== "ping")) {
        const outcome = outcomeOf(endpoint, {
          status,
          text: '{"message":"acme.example is taken"}',
        });
        expect(messageOf(outcome)).toBe(`THE ${endpoint}: ${status}`);
      }
    },
  );

  it.each([402, 404, 405, 409, 410])(
    "never quotes a %i of a domain that is asked for",
    (status) => {
      const outcome = outcomeOf("search", { status, text: '{"message":"no acme.example"}' });
      expect(messageOf(outcome)).toBe(`THE search: ${status}`);
    },
  );

  it("tells an object store's code and none of its words, which echo the signature", () => {
    const text = "<Error><Code>AccessDenied</Code><Message>signature abc</Message></Error>";
    expect(messageOf(outcomeOf("putFile", { status: 403, text }))).toBe(
      "THE putFile: 403 AccessDenied",
    );
    expect(messageOf(outcomeOf("putFile", { status: 403, text: '{"message":"abc"}' }))).toBe(
      "THE putFile: 403",
    );
  });

  it("escapes what a hostile service says", () => {
    const text = JSON.stringify({ message: "\u001b[2Jgone\r\nFORGED" });
    expect(messageOf(outcomeOf("ping", { status: 500, text }))).toBe(
      String.raw`THE ping: 500 \u{1b}[2Jgone\u{d}\u{a}FORGED`,
    );
  });
});

const schema = z.object({ status: z.string(), file_key: z.string() });

function failureOf(endpoint: EndpointName, answer: Partial<Answer>): unknown {
  const whole = { status: 200, headers: {}, text: "", sentWhole: true, ...answer };
  try {
    return readAccepted(exchangeOf(endpoint), whole, schema).data;
  } catch (error) {
    return error;
  }
}

describe("readAccepted", () => {
  it("reads what it needs and ignores the rest", () => {
    const text = '{"status":"success","file_key":"k","more":[1]}';
    const answer = { status: 200, headers: {}, text, sentWhole: true };
    expect(readAccepted(exchangeOf("uploadJson"), answer, schema).data).toEqual({
      status: "success",
      file_key: "k",
    });
  });

  it.each([
    ["no JSON", { text: "<html>" }, lost],
    ["half of it", { text: '{"status":"succ' }, lost],
    ["nothing", { text: "" }, lost],
    ["a wrong shape", { text: '{"status":"success"}' }, lost],
    ["a broken-off answer", { cutShort: "UND_ERR_SOCKET" }, lost],
    ["a status of error", { text: '{"status":"error"}' }, refused],
    ["a status of Failed", { text: '{"status":"Failed","file_key":"k"}' }, refused],
  ])("takes %s for a fault", (_, answer, codes) => {
    for (const endpoint of endpointNames.filter((each) => each !== "putFile")) {
      expect(failureOf(endpoint, answer)).toMatchObject({ code: codes[endpoint] });
    }
  });

  it.each(["uploadJson", "confirmUpload"] as const)(
    "does not know what became of records when a 200 to %s speaks of some",
    (endpoint) => {
      const text = '{"status":"partial_success","file_key":"k"}';
      expect(failureOf(endpoint, { text })).toMatchObject({
        code: "RecordsRejected",
        mayHaveSucceeded: true,
        refused: [],
        message: `THE ${endpoint}: 200, but not all was accepted: its status is "partial_success"`,
      });
    },
  );

  it.each(["<html>log in</html>", ""])("says that an answer is not JSON: %j", (text) => {
    expect(failureOf("uploadJson", { text })).toMatchObject({
      message: "THE uploadJson: 200, but the answer is not JSON",
    });
  });

  it("says what is missing without quoting the answer", () => {
    expect(failureOf("ping", { text: '{"status":"secret"}' })).toMatchObject({
      message: "THE ping: 200, but file_key: Invalid input: expected string, received undefined",
    });
    expect(String(failureOf("ping", { text: "secret" }))).not.toContain("secret");
  });
});
