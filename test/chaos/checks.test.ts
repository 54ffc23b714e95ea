import { describe, expect, it } from "vitest";

import { entry } from "../crash/sound-facts.ts";
import { ambiguousRecords, exitsAreRight, blocksKept } from "./checks.ts";
import type { Exit } from "./world/program.ts";

const told = entry("confirm-upload", 1, { status: 429, fault: "answer" });
const faults = [
  { step: "confirm-upload", do: "answer", status: 429, headers: { "retry-after": 1 } },
] as const;
const at = (t: string) => entry("generate-upload-url", 1, { t: `2026-01-01T00:00:${t}Z` });

describe("blocksKept", () => {
  it.each([
    ["what was under way", at("01.250"), 0],
    ["a request before the time is over", at("01.251"), 1],
    ["the last moment before", at("01.999"), 1],
    ["the first moment after", at("02.000"), 0],
    ["a PUT, whose limit is another", { ...at("01.500"), step: "put" as const }, 0],
  ])("judges %s", (_, next, found) => {
    expect(blocksKept([told, next], { faults, injected: [] })).toHaveLength(found);
  });

  it("lets an answer go whose reader was killed", () => {
    const injected = [{ fault: "kill", entry: told, isHeld: false }] as const;
    expect(blocksKept([told, at("01.500")], { faults, injected })).toEqual([]);
  });

  it("holds a spent minute to its end", () => {
    const spent = entry("upload-json", 1, { status: 429, fault: "too-many-requests" });
    const ledger = [spent, at("59.999"), { ...at("00.000"), t: "2026-01-01T00:01:00.000Z" }];
    expect(blocksKept(ledger, { faults: [], injected: [] })).toEqual([
      "L8: generate-upload-url at 2026-01-01T00:00:59.999Z, told at 2026-01-01T00:00:01.000Z to wait",
    ]);
  });
});

describe("exitsAreRight", () => {
  const clean: Exit = { name: "worker-0", code: 0, signal: null, sent: "SIGTERM", afterMs: 35_000 };

  it.each<readonly [string, Partial<Exit>, RegExp]>([
    ["a clean stop within its grace", {}, /^$/],
    ["a stop after it", { afterMs: 35_001 }, /35001 ms after SIGTERM/],
    ["a stop with another code", { code: 1 }, /ended with 1 after SIGTERM/],
    ["a kill", { code: null, signal: "SIGKILL", sent: "SIGKILL" }, /^$/],
    ["an end before the kill", { code: 134, sent: "SIGKILL" }, /ended before its kill/],
    ["a worker that ends by itself", { sent: undefined }, /ended with 0 by itself/],
    ["a crash", { code: null, signal: "SIGSEGV", sent: undefined }, /ended with SIGSEGV by itself/],
    ["a command that is done", { name: "runs-show", sent: undefined }, /^$/],
  ])("judges %s", (_, more, finding) => {
    expect(exitsAreRight([{ ...clean, ...more }]).join("\n")).toMatch(finding);
  });
});

describe("ambiguousRecords", () => {
  it("counts the records of requests that may have been applied unknown to the client", () => {
    const ledger = [
      entry("put", 1, { fault: "reset", records: 7 }),
      entry("confirm-upload", 2, { fault: "drop-reply", records: 3 }),
      entry("upload-json", 3, { fault: "drop-request", status: null }),
      entry("upload-json", 4, { records: 4 }),
    ];
    expect(ambiguousRecords(ledger, 5)).toEqual([3, 5]);
  });
});
