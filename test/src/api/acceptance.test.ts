import { describe, expect, it } from "vitest";

import { acceptanceOf, saidOfConfirmed } from "../../../src/api/acceptance.ts";

const sent = 3;

describe("acceptanceOf", () => {
  it.each([
    { status: "partial_success", message: "2 of 3 records were stored" },
    { status: "completed_with_errors", message: "see errors" },
    { status: "completedWithErrors", message: "" },
    { status: "not_accepted", message: "" },
    { status: "unprocessable", message: "schema mismatch" },
    { status: "unsuccessful", message: "" },
    { status: "Failed", message: "" },
    { status: "denied", message: "" },
    { status: "no records", message: "" },
  ])("does not take the status of %o for acceptance", (answer) => {
    expect(acceptanceOf(answer, sent)).toMatchObject({ isWhole: false });
  });

  it.each([
    "0 of 3 records accepted",
    "2 of 3 records were stored",
    "2/3 rows imported",
    "2 records accepted",
    "2 records accepted, 1 rejected",
    "accepted: 2",
    "1 record rejected",
    "3 records received and 1 invalid line",
    "rejected: 1, accepted: 3",
    "The upload was rejected",
    "Records have been partially stored",
    "Not all records were stored",
    "The file was not accepted",
    "nothing was stored",
    "None of the records were stored",
    "stored with errors",
    "Failed to read line 3",
    "No records were stored",
    "the file could not be parsed",
  ])("does not take the message %j for acceptance", (message) => {
    expect(acceptanceOf({ status: "success", message }, sent)).toMatchObject({ isWhole: false });
  });

  it.each([
    { rejected: 1 },
    { accepted: 2 },
    { records_accepted: 2 },
    { recordCount: 2 },
    { result: { stored: 3, failed: 1 } },
    { errors: [{ index: 1 }] },
    { errors: "line 2" },
    { detail: [{ loc: ["body", "data", 1], msg: "x", type: "missing" }] },
    { failed_records: ["a"] },
    { success: false },
    { partial: true },
    { accepted: [{ id: 1 }, { id: 2 }] },
    { error: { message: "quota of the account exceeded" } },
    { errors: { "0": "bad domain", "1": "bad domain" } },
    { processed: 2, total: 3 },
    { message: "Processed 2/3" },
    { message: "Accepted 2 records" },
    { ignored: 1 },
    { summary: { totals: { failed: 2 } } },
    { warnings: ["row 3 was dropped"] },
    { success: "false" },
    { detail: "Not accepted" },
  ])("does not take %o beside a good status for acceptance", (more) => {
    const answer = { status: "success", message: "stored", ...more };
    expect(acceptanceOf(answer, sent)).toMatchObject({ isWhole: false });
  });

  it.each([
    "",
    "3 records accepted",
    "3 of 3 records were stored, 0 rejected",
    "Upload confirmed, processing has started",
    "Upload confirmed. Records that are invalid will be rejected later.",
    "accepted; if a line fails, you will be told",
    "stored without errors",
    "3 records accepted and no failures",
    "It has not yet been stored, processing has started",
    "part 1 of 2 was uploaded on 2026-11-23",
    "file 1/2",
    "rate limit: 5 of 600 requests left",
  ])("accepts the message %j", (message) => {
    expect(acceptanceOf({ status: "success", message }, sent)).toEqual({
      isWhole: true,
      note: undefined,
    });
  });

  it("reads thousands with their separators", () => {
    const answer = { status: "ok", message: "1,500 records accepted" };
    expect(acceptanceOf(answer, 1_500)).toEqual({ isWhole: true, note: undefined });
    expect(acceptanceOf(answer, 1_501)).toMatchObject({ isWhole: false });
  });

  it.each([
    { errors: [] },
    { errors: null },
    { error: "" },
    { rejected: 0, accepted: 3 },
    { success: true },
    { processed: 0 },
    { inserted: 1, updated: 2 },
    { reject_limit: 5 },
    { error_report: "https://service.example/errors" },
  ])("takes %o for no refusal", (more) => {
    const answer = { status: "success", message: "stored", ...more };
    expect(acceptanceOf(answer, sent)).toEqual({ isWhole: true, note: undefined });
  });

  it("accepts a status that it does not know, and says which", () => {
    expect(acceptanceOf({ status: "handed_on" }, sent)).toEqual({
      isWhole: true,
      note: {
        about: 'the status "handed_on"',
        text: 'the service answered 200 with the status "handed_on", which was not seen before: it counts as accepted',
      },
    });
  });

  it("shows no status that may hold an id or a record", () => {
    const { note } = { note: undefined, ...acceptanceOf({ status: "job 7f3a for acme" }, sent) };
    expect(note?.text).toContain("the status (not of letters alone)");
    expect(JSON.stringify(note)).not.toContain("7f3a");
  });

  it("accepts more records than were sent, and says so", () => {
    expect(acceptanceOf({ status: "success", accepted: 5 }, sent)).toMatchObject({
      isWhole: true,
      note: { about: "more records than were sent" },
    });
  });
});

describe("saidOfConfirmed", () => {
  it.each([
    ["file was already confirmed", "done"],
    ["Already processed", "done"],
    ["Confirmation failed: this upload was already confirmed", "done"],
    ["upload is already in progress", "done"],
    ["already confirmed, 0 rejected", "done"],
    ["this file_key was already rejected: 3 invalid lines", "refused"],
    ["already failed validation", "refused"],
    ["already processed with errors", "refused"],
    ["already partially stored", "refused"],
    ["validation was already done, the file is invalid", "refused"],
    ["upload already expired", "gone"],
    ["the file has already been deleted", "gone"],
    ["upload is confirmed by another request", undefined],
    ["already seen", undefined],
    ["", undefined],
  ])("reads %j as %s", (message, said) => {
    expect(saidOfConfirmed(message)).toBe(said);
  });
});
