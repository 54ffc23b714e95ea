import { readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { type FaultScript, readFaultScript } from "../../../../src/cli/serve/fault-script.ts";
import { ConfigError } from "../../../../src/errors.ts";
import { faultKinds } from "../../../../src/sandbox/faults/faults.ts";
import { temporaryFolder } from "../../../support/process/temporary-folder.ts";

async function read(yaml: string, env: Record<string, string> = {}): Promise<FaultScript> {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, "faults.yaml"), yaml);
  return await readFaultScript("faults.yaml", { cwd, env });
}

/** The first line of each problem. */
async function problemsOf(yaml: string): Promise<readonly string[]> {
  const error: unknown = await read(yaml).catch((thrown: unknown) => thrown);
  if (!(error instanceof ConfigError)) throw error;
  return error.message.split("\n").filter((line) => line.startsWith("faults.yaml:"));
}

function delay(ms: number): string {
  return `faults: [{ step: ping, do: delay, by: ${ms}ms }]`;
}

const nothing = {
  seed: 0,
  confirms: "lenient",
  faults: [],
  creditCalls: undefined,
  searchCreditCalls: undefined,
  requestsPerMinute: undefined,
  pageItemsMax: undefined,
};

describe("readFaultScript()", () => {
  it("reads the script of docs/sandbox.md", async () => {
    const page = readFileSync(new URL("../../../../docs/sandbox.md", import.meta.url), "utf8");
    const [, yaml = ""] = /```yaml\n([^]*?)```/.exec(page) ?? [];
    expect(await read(yaml)).toEqual({
      seed: 7,
      confirms: "strict",
      creditCalls: 10_000,
      searchCreditCalls: 500,
      requestsPerMinute: 600,
      pageItemsMax: 50,
      faults: [
        { step: "confirm-upload", oneIn: 20, do: { dropReply: true } },
        { step: "put", after: 3, times: 2, do: { closeAfter: { status: 403 } } },
        {
          step: "upload-json",
          forMs: 30_000,
          do: { status: 429, headers: { "retry-after": "3" } },
        },
      ],
    });
  });

  it("leaves everything as it is where the script says nothing", async () => {
    expect(await read("{}")).toEqual(nothing);
  });

  it("fills in variables", async () => {
    const script = await read("faults: [{ step: ping, do: delay, by: '${WAIT}' }]", { WAIT: "3s" });
    expect(script.faults).toEqual([{ step: "ping", do: { delayMs: 3_000 } }]);
  });

  it("names every fault there is beside one that there is not", async () => {
    const names = faultKinds.map(({ name }) => name);
    const [problem = ""] = await problemsOf("faults:\n  - { step: put, do: drop-replay }\n");
    expect(problem).toBe(
      `faults.yaml:2:22: must be one of ${names.join(", ")} (did you mean "drop-reply"?)`,
    );
  });

  it("tells all mistakes at once, each at its place", async () => {
    const problems = await problemsOf(`faults:
  - { step: ping, do: early-200 }
  - { step: put, do: delay, by: soon }
  - { step: putt, do: drop-reply, tims: 3 }
  - { step: put, do: answer, status: 99, headers: { a b: 1, x: "\\n" } }
  - { do: stall }
  - { step: put }
confirm: strict
`);
    expect(problems).toEqual([
      'faults.yaml:2:13: "early-200" is for put only',
      "faults.yaml:3:33: must be a duration such as 500ms, 30s, 5m, 12h or 30d",
      "faults.yaml:4:13: must be one of ping, upload-json, generate-upload-url, put, " +
        'confirm-upload, search, enrich (did you mean "put"?)',
      'faults.yaml:4:35: unknown member "tims" (did you mean "times"?)',
      "faults.yaml:5:38: must be at least 200",
      "faults.yaml:5:53: is not the name of a header",
      "faults.yaml:5:64: must be printable ASCII",
      'faults.yaml:6:5: "step" is missing',
      'faults.yaml:7:5: "do" is missing',
      'faults.yaml:8:1: unknown member "confirm" (did you mean "confirms"?)',
    ]);
  });

  it.each([
    ["status: 199", "must be at least 200"],
    ["status: 600", "must be at most 599"],
    ["status: 503, times: 0", "must be at least 1"],
    ["status: 503, one_in: 0", "must be at least 1"],
    ["status: 503, after: -1", "must be at least 0"],
  ])("refuses %s", async (members, problem) => {
    const problems = await problemsOf(`faults: [{ step: ping, do: answer, ${members} }]`);
    expect(problems).toEqual([expect.stringContaining(problem)]);
  });

  it("takes credits for either API alone", async () => {
    expect(await read("credits: { calls: 0 }")).toEqual({ ...nothing, creditCalls: 0 });
    expect(await read("credits: { search: 0 }")).toEqual({ ...nothing, searchCreditCalls: 0 });
  });

  it.each([
    ["step: upload-json, do: bad-cursor, cursor: loop", '"bad-cursor" is for search, enrich only'],
    ["step: search, do: bad-cursor", '"cursor" is missing'],
    ["step: search, do: missing-meta, member: data", "must be one of limit, total"],
    ["step: search, do: false-total, by: 0", "must not be 0"],
    ["step: enrich, do: shift-page, item: lost", "must be one of repeated, skipped"],
    ["step: enrich, do: poison-item, at: -1", "must be at least 0"],
  ])("refuses a fault of a page: %s", async (members, problem) => {
    expect(await problemsOf(`faults: [{ ${members} }]`)).toEqual([
      expect.stringContaining(problem),
    ]);
  });

  it("takes the longest pause that a timer keeps, and none longer", async () => {
    expect((await read(delay(2 ** 31 - 1))).faults).toHaveLength(1);
    expect(await problemsOf(delay(2 ** 31))).toEqual(["faults.yaml:1:39: must be at most 24d"]);
  });

  it("refuses a file that is not there, a folder and an empty file", async () => {
    const cwd = await temporaryFolder();
    await mkdir(join(cwd, "folder"));
    for (const [name, problem] of [
      ["none.yaml", "--faults names none.yaml, but there is no such file"],
      ["folder", "folder is not a file"],
      [".", ". is not a file"],
    ] as const) {
      const reading = readFaultScript(name, { cwd, env: {} });
      await expect(reading).rejects.toMatchObject({ code: "ConfigError", message: problem });
    }
    expect(await problemsOf("")).toEqual([
      "faults.yaml:1:1: must be a mapping such as { name: value }, not empty",
    ]);
    expect(await problemsOf("faults: [")).toHaveLength(1);
  });
});
