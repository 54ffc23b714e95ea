import { describe, expect, it } from "vitest";

import { exitCodes } from "../../../../src/cli/output/exit-code.ts";
import { ConnectorFolder } from "../../../support/project/connector-folder.ts";

describe("sluice connector dev", () => {
  it("reads the harness's source when it is given none", async () => {
    const folder = await ConnectorFolder.make();
    await folder.run("new", "demo", "--full");
    const { code, stdout, stderr } = await folder.run("dev", "demo", "--once");
    expect(code).toBe(exitCodes.done);
    expect(stderr).toContain("reading three rows that harness.ts puts into its source");
    const lines = stdout.trimEnd().split("\n");
    expect(lines).toHaveLength(4);
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ id: "1", text: "text of 1" });
    expect(lines[3]).toMatch(/^position \{.*"id":"3"\}$/);
  });
});
