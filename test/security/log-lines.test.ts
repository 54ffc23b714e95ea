import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

import { describe, expect, it } from "vitest";

import type { RunReport } from "../../src/report/report.ts";
import { noCounts, progressDetails, reportDetails } from "../../workflows/sync/progress.ts";
import { watch } from "../support/process/process.ts";

const log = fileURLToPath(new URL("../../src/log.ts", import.meta.url));

/** An attacker's file name. */
const hostile =
  "a\r\n[12:00:00] INFO: all is well\u001b[2J\u009b31m\u007f\u202e\u2066\u061c\u2028b\n{}";

/** The output of a process that logs the hostile text in every place of a line. */
async function logged(format: "json" | "text"): Promise<string> {
  const script = `
    const { createLog } = await import(${JSON.stringify(log)});
    const text = ${JSON.stringify(hostile)};
    const log = createLog(${JSON.stringify(format)});
    log.info(text);
    log.warn({ file: text, nested: { columns: [text] } }, "cannot read it");
    log.child({ sync: text }).error({ reason: text }, text);
  `;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", script], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  return (await watch(child).ended).stderr;
}

describe("a log line with a text that somebody else chose (T18)", () => {
  it.each(["json", "text"] as const)("is one line, and steers no terminal: %s", async (format) => {
    const text = await logged(format);
    expect(text.trimEnd().split("\n")).toHaveLength(3);
    expect(text).not.toMatch(/[^\P{Cc}\n]|[\p{Bidi_Control}\p{Zl}\p{Zp}]/u);
    expect(text).not.toMatch(/^\[12:00:00\]/m);
  });

  it("keeps the text itself in JSON, for the program that reads it", async () => {
    const lines = (await logged("json")).trimEnd().split("\n");
    const [first, second, third] = lines.map((line): unknown => JSON.parse(line));
    expect(first).toMatchObject({ msg: hostile });
    expect(second).toMatchObject({ file: hostile, nested: { columns: [hostile] } });
    expect(third).toMatchObject({ sync: hostile, reason: hostile, msg: hostile });
  });
});

const markdown = "```\n# Heading\n[link](javascript:alert(1))\n````\n| a | b |\n<img src=x>";

const report: RunReport = {
  run_id: "accounts-20260101-000000-01234567",
  workflow_id: "wf",
  config_hash: "0",
  sync: "accounts",
  kind: "sync",
  outcome: "failed",
  mode: "lightweight",
  mode_reason: "1 record needs 1 body",
  started_at: "2026-01-01T00:00:00.000Z",
  ended_at: "2026-01-01T00:00:01.000Z",
  duration_ms: 1_000,
  counts: { read: 1, sent: 0, unchanged: 0, filtered: 0, rejected: 1 },
  balanced: true,
  chunks: 1,
  parts: 1,
  bytes: { json: 1, gzip: 1 },
  requests: 1,
  retries: 0,
  waited_ms: 0,
  possibly_repeated: 0,
  stamped_in_future: 0,
  checkpoint: { before: 0, after: 0 },
  warnings: [markdown],
  reject_reasons: [{ code: "x", reason: markdown, count: 1, example: markdown }],
  error: { code: "ContractBroken", message: markdown, hint: markdown },
};

describe("foreign text in a workflow's details (T18)", () => {
  it("stays inside a fence that it cannot close", () => {
    const outside = withoutFences(reportDetails(report));
    expect(outside).toContain("### accounts: failed");
    expect(outside).not.toMatch(/Heading|javascript|<img|\| a \|/);
  });

  it("has no place in what a run says while it continues", () => {
    const details = progressDetails({
      run_id: report.run_id,
      sync: report.sync,
      mode: null,
      mode_reason: null,
      counts: noCounts,
      waiting: null,
      report: null,
    });
    expect(details).toMatch(/^### accounts: run `accounts-[\d-]+[0-9a-f]{8}`\n\n\|/);
  });
});

/** The parts of a Markdown text outside code fences, as CommonMark reads it. */
function withoutFences(text: string): string {
  let fence: string | undefined;
  const outside: string[] = [];
  for (const line of text.split("\n")) {
    const marks = /^(`{3,})[^`]*$/.exec(line)?.[1];
    if (fence === undefined) {
      if (marks === undefined) outside.push(line);
      else fence = marks;
    } else if (marks !== undefined && marks.length >= fence.length && line.trim() === marks) {
      fence = undefined;
    }
  }
  return outside.join("\n");
}
