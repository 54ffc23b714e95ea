import { describe, expect, it } from "vitest";
import { z } from "zod";

import { classifyAnswer, readAccepted } from "../../../src/api/classify.ts";
import type { Answer, Exchange, Step, Verdict } from "../../../src/api/exchange.ts";
import { ApiRejectedError } from "../../../src/errors.ts";

const now = Date.UTC(2026, 0, 1);
const steps: readonly Step[] = [
  "ping",
  "generateUploadUrl",
  "putFile",
  "confirmUpload",
  "uploadJson",
  "search",
];

function exchangeOf(step: Step): Exchange {
  const addressField = step === "putFile" ? undefined : "api.base_url";
  return { step, what: `THE ${step}`, addressField, records: 10 };
}

function verdictOf(step: Step, answer: Partial<Answer>): Verdict {
  return classifyAnswer(
    exchangeOf(step),
    { status: 200, headers: {}, text: "", sentWhole: true, ...answer },
    now,
  );
}

/** A verdict in one word: its kind, or the failure's type. */
function fate(verdict: Verdict): string {
  return verdict.kind === "failed" ? verdict.error.code : verdict.kind;
}

function messageOf(verdict: Verdict): string {
  if (verdict.kind === "accepted") return "";
  return verdict.kind === "failed" ? verdict.error.message : verdict.message;
}

const xml = (code: string): string => `<Error><Code>${code}</Code></Error>`;
const all = (word: string): string => [word, word, word, word, word].join(" ");

/** faults.md, section 3: what is answered, then G, P, C, J and S/E. */
const table: readonly (readonly [string, Partial<Answer>, string])[] = [
  ["200", {}, all("accepted")],
  ["429 with seconds", { status: 429, headers: { "retry-after": "120" } }, all("slowDown")],
  ["429 without a hint", { status: 429 }, all("slowDown")],
  [
    "429 credits exhausted beside a hint",
    { status: 429, headers: { "retry-after": "1" }, text: '{"message":"credits exhausted"}' },
    "creditsExhausted slowDown creditsExhausted creditsExhausted creditsExhausted",
  ],
  ["500", { status: 500 }, "Unavailable Unavailable OutcomeUnknown OutcomeUnknown OutcomeUnknown"],
  ["502", { status: 502 }, "Unavailable Unavailable OutcomeUnknown OutcomeUnknown OutcomeUnknown"],
  ["503", { status: 503 }, "Unavailable Unavailable OutcomeUnknown OutcomeUnknown OutcomeUnknown"],
  ["503 with a hint", { status: 503, headers: { "retry-after": "1" } }, all("slowDown")],
  ["503 SlowDown", { status: 503, text: xml("SlowDown") }, all("slowDown")],
  ["504", { status: 504 }, "Unavailable Unavailable OutcomeUnknown OutcomeUnknown OutcomeUnknown"],
  ["599", { status: 599 }, "Unavailable Unavailable OutcomeUnknown OutcomeUnknown OutcomeUnknown"],
  ["501", { status: 501 }, all("ContractBroken")],
  ["401", { status: 401 }, "keyRefused ContractBroken keyRefused keyRefused keyRefused"],
  ["403", { status: 403 }, "keyRefused Unavailable keyRefused keyRefused keyRefused"],
  ["404", { status: 404 }, "ContractBroken Unavailable Unavailable ContractBroken ContractBroken"],
  ["410", { status: 410 }, "ContractBroken Unavailable UploadGone ContractBroken ContractBroken"],
  ["402", { status: 402 }, all("ContractBroken")],
  ["405", { status: 405 }, all("ContractBroken")],
  ["406", { status: 406 }, all("ContractBroken")],
  ["411", { status: 411 }, all("ContractBroken")],
  ["412", { status: 412 }, all("ContractBroken")],
  ["415", { status: 415 }, all("ContractBroken")],
  ["408", { status: 408 }, "Unavailable Unavailable OutcomeUnknown OutcomeUnknown OutcomeUnknown"],
  [
    "400 RequestTimeout",
    { status: 400, text: xml("RequestTimeout") },
    "Unavailable Unavailable OutcomeUnknown OutcomeUnknown OutcomeUnknown",
  ],
  ["409", { status: 409 }, "Unavailable Unavailable Unavailable ContractBroken ContractBroken"],
  [
    "409 already",
    { status: 409, text: '{"message":"Upload already confirmed"}' },
    "Unavailable Unavailable accepted ContractBroken ContractBroken",
  ],
  [
    "409 already rejected",
    { status: 409, text: '{"message":"Upload already rejected"}' },
    "Unavailable Unavailable RecordsRejected ContractBroken ContractBroken",
  ],
  ["413", { status: 413 }, "ContractBroken TooLarge ContractBroken TooLarge TooLarge"],
  [
    "400",
    { status: 400 },
    "ContractBroken ContractBroken RecordsRejected RecordsRejected ContractBroken",
  ],
  [
    "422",
    { status: 422 },
    "ContractBroken ContractBroken RecordsRejected RecordsRejected ContractBroken",
  ],
  ...[300, 301, 302, 303, 304, 307, 308].map(
    (status) => [`${status}`, { status }, all("ContractBroken")] as const,
  ),
  ...[201, 202, 204, 206].map(
    (status) =>
      [
        `${status}`,
        { status },
        "ContractBroken Unavailable OutcomeUnknown OutcomeUnknown ContractBroken",
      ] as const,
  ),
  [
    "200 without end",
    { cutShort: "UND_ERR_RES_EXCEEDED_MAX_SIZE" },
    "ContractBroken ContractBroken ContractBroken ContractBroken TooLarge",
  ],
  ["200 before the file was sent", { sentWhole: false }, all("Unavailable")],
];

describe("classifyAnswer", () => {
  it.each(table)("judges %s as the table says", (_, answer, expected) => {
    const fates = steps.map((step) => fate(verdictOf(step, answer)));
    const [ping, ...columns] = fates;
    expect(columns.join(" ")).toBe(expected);
    expect(ping).toBe(columns[0]);
  });

  it.each([
    ["putFile", 403, "Unavailable", "ContractBroken", 3],
    ["putFile", 404, "Unavailable", "ContractBroken", 3],
    ["confirmUpload", 404, "Unavailable", "UploadGone", 5],
    ["generateUploadUrl", 409, "Unavailable", "ContractBroken", 3],
    ["putFile", 206, "Unavailable", "ContractBroken", 3],
    ["uploadJson", 202, "OutcomeUnknown", "ContractBroken", 3],
  ] as const)("lets %s meet a %i as %s, and as %s the %ith time", (...expected) => {
    const [step, status, code, becomes, timesMax] = expected;
    const verdict = verdictOf(step, { status });
    expect(verdict).toMatchObject({
      error: { code, tolerance: { timesMax, becomes: { code: becomes } } },
    });
  });

  it.each([408, 410, 500, 503])("bears a %i at a PUT without end", (status) => {
    expect(verdictOf("putFile", { status })).toMatchObject({ error: { tolerance: undefined } });
  });

  it("stops at an answer without end, and does not know whether it was done", () => {
    const answer = { cutShort: "UND_ERR_RES_EXCEEDED_MAX_SIZE" };
    expect(verdictOf("uploadJson", answer)).toMatchObject({ error: { mayBeApplied: true } });
    expect(verdictOf("search", answer)).toMatchObject({ error: { mayBeApplied: true } });
    expect(verdictOf("generateUploadUrl", answer)).toMatchObject({
      error: { mayBeApplied: false },
    });
  });

  it("keeps in mind that what a gateway answers 503 may have been done", () => {
    const answer = { status: 503, headers: { "retry-after": "5" } };
    expect(verdictOf("uploadJson", answer)).toMatchObject({ hintMs: 5_000, mayBeApplied: true });
    expect(verdictOf("confirmUpload", answer)).toMatchObject({ mayBeApplied: true });
    expect(verdictOf("search", answer)).toMatchObject({ mayBeApplied: true });
    expect(verdictOf("generateUploadUrl", answer)).toMatchObject({ mayBeApplied: false });
  });

  it.each([
    ["uploadJson", ["body", "data", 3, "domain"]],
    ["confirmUpload", ["file", 3, "domain"]],
  ] as const)("reads which record %s was refused for", (step, loc) => {
    const text = JSON.stringify({
      detail: [{ loc, msg: "bad value acme", type: "value_error", input: "acme" }],
    });
    const verdict = verdictOf(step, { status: 422, text });
    const error = verdict.kind === "failed" ? verdict.error : undefined;
    expect(error).toBeInstanceOf(ApiRejectedError);
    expect(error).toMatchObject({ refused: [{ index: 3, field: "domain" }] });
    expect(error?.message).toBe(`THE ${step}: 422 value_error`);
  });

  it("names no record when the place is another step's", () => {
    const text = JSON.stringify({
      detail: [{ loc: ["body", "data", 3], msg: "", type: "missing" }],
    });
    const verdict = verdictOf("confirmUpload", { status: 422, text });
    expect(verdict).toMatchObject({ error: { refused: [] } });
  });

  it("says which setting to check when the key is refused", () => {
    const verdict = verdictOf("confirmUpload", { status: 401, text: '{"message":"Unauthorized"}' });
    expect(messageOf(verdict)).toBe("THE confirmUpload: 401 Unauthorized");
  });

  it("names the target of a redirect by its host alone", () => {
    const location = "https://user:secret@other.example:8443/secret?signature=secret";
    const verdict = verdictOf("putFile", { status: 307, headers: { location } });
    expect(messageOf(verdict)).toBe(
      "THE putFile: 307 redirects to other.example:8443, which is not followed",
    );
  });

  it.each([
    [undefined, "an unreadable address"],
    [["https://a.example", "https://b.example"], "an unreadable address"],
    ["/elsewhere", "itself"],
  ])("tells of the location %j as %s", (location, target) => {
    const verdict = verdictOf("ping", { status: 302, headers: { location } });
    expect(messageOf(verdict)).toContain(`redirects to ${target},`);
  });

  it.each([400, 413, 422, 500, 502])(
    "never quotes a %i, whose words may hold a record",
    (status) => {
      for (const step of steps.filter((each) => each !== "ping")) {
        const verdict = verdictOf(step, { status, text: '{"message":"acme.example is taken"}' });
        expect(messageOf(verdict)).toBe(`THE ${step}: ${status}`);
      }
    },
  );

  it.each([402, 404, 405, 409, 410])(
    "never quotes a %i of a domain that is asked for",
    (status) => {
      const verdict = verdictOf("search", { status, text: '{"message":"no acme.example"}' });
      expect(messageOf(verdict)).toBe(`THE search: ${status}`);
    },
  );

  it("tells an object store's code and none of its words, which echo the signature", () => {
    const text = "<Error><Code>AccessDenied</Code><Message>signature abc</Message></Error>";
    expect(messageOf(verdictOf("putFile", { status: 403, text }))).toBe(
      "THE putFile: 403 AccessDenied",
    );
    expect(messageOf(verdictOf("putFile", { status: 403, text: '{"message":"abc"}' }))).toBe(
      "THE putFile: 403",
    );
  });

  it("escapes what a hostile service says", () => {
    const text = JSON.stringify({ message: "\u001b[2Jgone\r\nFORGED" });
    expect(messageOf(verdictOf("ping", { status: 500, text }))).toBe(
      String.raw`THE ping: 500 \u{1b}[2Jgone\u{d}\u{a}FORGED`,
    );
  });
});

const schema = z.object({ status: z.string(), file_key: z.string() });

function failureOf(step: Step, answer: Partial<Answer>): unknown {
  const whole = { status: 200, headers: {}, text: "", sentWhole: true, ...answer };
  try {
    return readAccepted(exchangeOf(step), whole, schema).data;
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
    ["no JSON", { text: "<html>" }, "Unavailable", "OutcomeUnknown", "OutcomeUnknown"],
    ["half of it", { text: '{"status":"succ' }, "Unavailable", "OutcomeUnknown", "OutcomeUnknown"],
    ["nothing", { text: "" }, "Unavailable", "OutcomeUnknown", "OutcomeUnknown"],
    [
      "a wrong shape",
      { text: '{"status":"success"}' },
      "Unavailable",
      "OutcomeUnknown",
      "OutcomeUnknown",
    ],
    [
      "a broken-off answer",
      { cutShort: "UND_ERR_SOCKET" },
      "Unavailable",
      "OutcomeUnknown",
      "OutcomeUnknown",
    ],
    [
      "a status of error",
      { text: '{"status":"error"}' },
      "ContractBroken",
      "RecordsRejected",
      "ContractBroken",
    ],
    [
      "a status of Failed",
      { text: '{"status":"Failed","file_key":"k"}' },
      "ContractBroken",
      "RecordsRejected",
      "ContractBroken",
    ],
  ])("takes %s for a fault", (_, answer, ...[asking, applying, paying]) => {
    const codes = {
      ping: asking,
      generateUploadUrl: asking,
      confirmUpload: applying,
      uploadJson: applying,
      search: paying,
    };
    for (const step of steps.filter((each) => each !== "putFile")) {
      expect(failureOf(step, answer)).toMatchObject({ code: codes[step] });
    }
  });

  it.each(["uploadJson", "confirmUpload"] as const)(
    "does not know what became of records when a 200 to %s speaks of some",
    (step) => {
      const text = '{"status":"partial_success","file_key":"k"}';
      expect(failureOf(step, { text })).toMatchObject({
        code: "RecordsRejected",
        mayBeApplied: true,
        refused: [],
        message: `THE ${step}: 200, but not all was accepted: its status is "partial_success"`,
      });
    },
  );

  it("says what is missing without quoting the answer", () => {
    expect(failureOf("ping", { text: '{"status":"secret"}' })).toMatchObject({
      message: "THE ping: 200, but file_key: Invalid input: expected string, received undefined",
    });
    expect(String(failureOf("ping", { text: "secret" }))).not.toContain("secret");
  });
});
