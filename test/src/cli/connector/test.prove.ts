import { describe, expect, it } from "vitest";
import { z } from "zod";

import { exitCodes } from "../../../../src/cli/output/exit-code.ts";
import { ConnectorFolder } from "../../../support/project/connector-folder.ts";

const someResult = z.object({ id: z.string(), state: z.string(), text: z.string() });

describe("sluice connector test", () => {
  it("prints what is shown and what is not, and is green", async () => {
    const folder = await ConnectorFolder.make();
    await folder.run("new", "demo", "--full");
    const { code, stdout, stderr } = await folder.run("test", "demo", "--only", "r4, F1,S1");
    expect(stderr).toBe("");
    expect(code).toBe(exitCodes.done);
    const [last = "", ...lines] = stdout.trimEnd().split("\n").toReversed();
    expect(lines.toReversed()).toEqual([
      "ok         S1   describes every member of its config",
      "ok         R4   resumes at every page boundary",
      "not shown  F1   says so when the connection dies, and continues from there",
      "                the harness has no `breakAt`",
    ]);
    expect(last).toMatch(/^2 ok, 0 failed, 1 not shown, in \d+\.\d s$/);
  });

  it("says once that the connector refuses the config of the harness", async () => {
    const folder = await ConnectorFolder.make();
    await folder.run("new", "feed");
    await folder.run("new", "hook", "--push");
    for (const name of ["feed", "hook"]) {
      await folder.change(`${name}/harness.ts`, "config: {", "config: { tokn: 'x',");
      const { code, stdout, stderr } = await folder.run("test", name);
      expect([code, stdout]).toEqual([exitCodes.usage, ""]);
      expect(stderr).toContain(
        'the connector refuses the harness\'s config: Unrecognized key: "tokn"\n  → ',
      );
    }
  });

  it("says what to do about a folder whose package is CommonJS", async () => {
    const folder = await ConnectorFolder.make();
    await folder.run("new", "feed");
    await folder.write("feed/package.json", '{ "type": "commonjs" }\n');
    const { code, stderr } = await folder.run("test", "feed");
    expect(code).toBe(exitCodes.usage);
    expect(stderr).toContain('its package.json makes it CommonJS: write `"type": "module"` there');
  });

  it("takes a harness that is made, and closes it", async () => {
    const folder = await ConnectorFolder.make();
    await folder.run("new", "hook", "--push", "--full");
    await folder.change(
      "hook/harness.ts",
      "export const harness: PushHarness = ",
      "const own: PushHarness = ",
    );
    await folder.write(
      "hook/made.ts",
      "export const close = async () => void process.stderr.write('closed');\n",
    );
    await folder.change(
      "hook/harness.ts",
      "import type",
      'import { close } from "./made.ts";\nimport type',
    );
    await folder.change(
      "hook/harness.ts",
      "};\n",
      "};\nexport const harness = async () => ({ ...own, close });\n",
    );
    const { code, stdout, stderr } = await folder.run("test", "hook");
    expect(stdout).toMatch(/^5 ok, 0 failed, 1 not shown/m);
    expect([code, stderr]).toEqual([exitCodes.done, "closed"]);
  });

  it("ends even if something is left open", async () => {
    const folder = await ConnectorFolder.make();
    await folder.run("new", "hook", "--push", "--full");
    await folder.change(
      "hook/receive.ts",
      "function refused",
      "setInterval(() => 0, 1_000);\n\nfunction refused",
    );
    expect(await folder.run("test", "hook", "--only", "S1")).toMatchObject({
      code: exitCodes.done,
    });
  });

  it.each([
    { command: "test", args: ["test", "hook"] },
    { command: "dev", args: ["dev", "hook", "--once"] },
  ])("ends also with an error where a harness left something open: $command", async ({ args }) => {
    const folder = await ConnectorFolder.make();
    await folder.run("new", "hook", "--push", "--full");
    await folder.write(
      "hook/harness.ts",
      "export const harness = () => { setInterval(() => 0, 1_000); return { config: {} }; };\n",
    );
    const { code, stderr } = await folder.run(...args);
    expect(code).toBe(exitCodes.usage);
    expect(stderr).toContain("does not fit a source that is pushed to");
  });

  it("says what is missing before it tries anything", async () => {
    const folder = await ConnectorFolder.make();
    await folder.run("new", "demo", "--full");
    const refusal = async (...args: readonly string[]): Promise<string> => {
      const { code, stdout, stderr } = await folder.run("test", ...args);
      expect([code, stdout]).toEqual([exitCodes.usage, ""]);
      return stderr;
    };
    expect(await refusal("dem")).toContain('there is no file ./dem (did you mean "./demo"?)');
    expect(await refusal("demo", "--only", "R4,R99")).toContain("has the number R99");
    await folder.write("demo/harness.ts", "export const bank = 1;\n");
    expect(await refusal("demo")).toContain(
      "demo/harness.ts exports no `harness`: it exports only bank",
    );
    await folder.write(
      "demo/harness.ts",
      "export const harness = { config: {}, bodyOf: () => '' };\n",
    );
    expect(await refusal("demo")).toContain(
      "the `harness` of demo/harness.ts does not fit a source that is read: it needs",
    );
    await folder.write(
      "demo/harness.ts",
      "export const harness = () => { throw Error('no disk'); };\n",
    );
    expect(await refusal("demo")).toContain(
      "the harness of demo/harness.ts cannot be made: no disk",
    );
    await folder.write("demo/harness.ts", "export const harness = nothing;\n");
    expect(await refusal("demo")).toContain(
      "demo/harness.ts cannot be loaded: nothing is not defined",
    );
    await folder.write("alone.ts", 'export { source } from "./demo/index.ts";\n');
    expect(await refusal("alone.ts")).toContain(
      "`sluice connector new alone.ts --harness` writes one",
    );
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
    // Its suggestion works.
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
