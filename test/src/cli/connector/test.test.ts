import { describe, expect, it } from "vitest";
import { z } from "zod";

import { exitCodes } from "../../../../src/cli/output/exit-code.ts";
import { ConnectorFolder } from "../../../support/project/connector-folder.ts";

const someResult = z.object({ id: z.string(), state: z.string(), text: z.string() });

describe("sluice connector test", () => {
  it.each([
    { options: [], counts: /^22 ok, 0 failed, / },
    { options: ["--push"], counts: /^5 ok, 0 failed, / },
  ])("is green at once for one that was written with $options", async ({ options, counts }) => {
    const folder = await ConnectorFolder.make();
    await folder.run("new", "small", ...options);
    const { code, stdout, stderr } = await folder.run("test", "small");
    expect([code, stderr]).toEqual([exitCodes.done, ""]);
    expect(stdout.trimEnd().split("\n").at(-1)).toMatch(counts);
  });

  it("is red where a mistake is found, and says what it costs", async () => {
    const folder = await ConnectorFolder.make();
    await folder.run("new", "demo", "--full");
    await folder.change("demo/read.ts", "(changed, id) <= (?, ?)", "(changed, id) < (?, ?)");
    const only = ["--only", "R2,R9"];
    const { code, stdout } = await folder.run("test", "./demo/index.ts", ...only);
    expect(code).toBe(exitCodes.failed);
    const [first = "", second = "", third = "", last = ""] = stdout.split("\n");
    expect(first).toMatch(/^ok {9}R2 /);
    expect(second).toMatch(/^FAILED {5}R9 /);
    expect(third).toMatch(/^ {16}expected .+; came .+ missing .+\. The checkpoint is saved /);
    expect(last).toContain("1 ok, 1 failed, 0 not shown");

    const asJson = await folder.run("test", "demo", ...only, "--json");
    expect(asJson.code).toBe(exitCodes.failed);
    const [one, two, counts] = asJson.stdout
      .trimEnd()
      .split("\n")
      .map((line): unknown => JSON.parse(line));
    expect(someResult.parse(one)).toEqual({ id: "R2", state: "passed", text: "" });
    expect(someResult.parse(two)).toMatchObject({ id: "R9", state: "failed" });
    expect(counts).toMatchObject({ passed: 1, failed: 1, not_shown: 0 });
  });

  it("says at once that the rows have no id, and what to write in the harness", async () => {
    const folder = await ConnectorFolder.make();
    await folder.run("new", "feed");
    await folder.change(
      "feed/harness.ts",
      "data: [...rows.values()].slice(start, start + 5)",
      "data: [...rows.values()].slice(start, start + 5).map(({ id, text }) => ({ guid: Number(id), 'a title': text }))",
    );
    await folder.change("feed/index.ts", 'id: "id"', 'id: "guid"');
    const { code, stdout, stderr } = await folder.run("test", "feed");
    expect([code, stdout]).toEqual([exitCodes.usage, ""]);
    expect(stderr).toContain("the rows have neither `id` nor `text`; they have `guid`, `a title`");
    const hint = /set (rowOf: .+) in the harness/.exec(stderr)?.[1] ?? "no hint";
    expect(hint).toBe(
      'rowOf: (row) => ({ id: String(row.guid), text: row["a title"] == null ? null : ' +
        'String(row["a title"]), changed: "" })',
    );
    // What it says works.
    await folder.change(
      "feed/harness.ts",
      "    empty:",
      `    ${hint.replace("(row)", "(row: any)")},\n    empty:`,
    );
    expect(await folder.run("test", "feed", "--only", "R1,R2,R4")).toMatchObject({
      code: exitCodes.done,
      stdout: expect.stringContaining("3 ok, 0 failed") as unknown,
    });
  });

  it("reports what the harness's server throws as the failure of a check, and counts", async () => {
    const folder = await ConnectorFolder.make();
    await folder.run("new", "feed");
    await folder.change(
      "feed/harness.ts",
      "    response.end(",
      "    if (start === 5) throw new TypeError('no such cursor');\n    response.end(",
    );
    const { code, stdout, stderr } = await folder.run("test", "feed", "--only", "S1,R2,R4");
    expect([code, stderr]).toEqual([exitCodes.failed, ""]);
    expect(stdout).toMatch(
      /^ok {9}S1 .*\nFAILED {5}R2 .*\n {16}expected no exception that nobody catches; /,
    );
    expect(stdout).toMatch(/; came TypeError at harness\.ts:\d+: no such cursor\. /);
    expect(stdout).toMatch(/\n1 ok, 1 failed, 1 not shown, in [\d.]+ s\n$/);
  });

  it("says where in its code a connector fails, without a stack and a secret", async () => {
    const folder = await ConnectorFolder.make();
    await folder.run("new", "feed");
    await folder.change(
      "feed/index.ts",
      "        const address = ",
      "        if (page !== '') throw new TypeError(`no ${token.reveal()}`);\n        const address = ",
    );
    const { code, stdout, stderr } = await folder.run("test", "feed", "--only", "R2");
    expect([code, stderr]).toEqual([exitCodes.failed, ""]);
    expect(stdout).toMatch(
      /came TypeError: connector \.\/feed fails at feed\/index\.ts:\d+: TypeError: no \[secret\]\./,
    );
    expect(stdout).not.toContain("    at ");
  });
});
