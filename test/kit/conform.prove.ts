import { spawn } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { describe, expect, it } from "vitest";
import { z } from "zod";

import { pullChecks } from "../../testing/checks/index.ts";
import { watch } from "../support/process/process.ts";
import { temporaryFolder } from "../support/process/temporary-folder.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Somebody's own test file, whose connector fails R13, and whose harness lacks what R20 needs. */
const testFile = `
import { conform } from ${JSON.stringify(join(root, "testing/index.ts"))};
import { rightHarness } from ${JSON.stringify(join(root, "test/broken-connectors/right-harness.ts"))};
import { rightSource } from ${JSON.stringify(join(root, "test/broken-connectors/right.ts"))};
import { SampleServer } from ${JSON.stringify(join(root, "test/broken-connectors/server.ts"))};

const harness = rightHarness(await SampleServer.start());
conform(rightSource({ rewind: ({ position }) => position }), { ...harness, spoil: undefined });
`;

const report = z.object({
  testResults: z.array(
    z.object({
      assertionResults: z.array(
        z.object({ title: z.string(), status: z.string(), failureMessages: z.array(z.string()) }),
      ),
    }),
  ),
});

describe("conform", () => {
  it("makes a test of each check: a red one fails, and what is not shown is skipped", async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, "own.test.ts"), testFile);
    const program = join(root, "node_modules/vitest/vitest.mjs");
    const told = ["--root", folder, "--reporter", "json", "--outputFile", "report.json"];
    const child = spawn(process.execPath, [program, "run", ...told]);
    await watch(child).ended;
    const text = await readFile(join(folder, "report.json"), "utf8");
    const [file] = report.parse(JSON.parse(text)).testResults;
    const results = file?.assertionResults ?? [];
    const titled = (status: string): readonly string[] =>
      results.filter((result) => result.status === status).map(({ title }) => title);
    expect(results).toHaveLength(pullChecks.length);
    expect(titled("failed")).toEqual(["R13 finds a row that is committed late"]);
    expect(titled("skipped")).toEqual(["R20 rejects what is malformed and reads the rest"]);
    expect(titled("passed")).toHaveLength(pullChecks.length - 2);
    const [message] = results.flatMap((result) => result.failureMessages);
    expect(message).toMatch(/expected each row .*; came neither with the late row\. A transaction/);
  });
});
