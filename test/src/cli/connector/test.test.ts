import { describe, expect, it } from "vitest";

import { exitCodes } from "../../../../src/cli/output/exit-code.ts";
import { ConnectorFolder } from "../../../support/project/connector-folder.ts";
import { someOf } from "../../../support/trials.ts";

const small = [
  { options: ["--push"], counts: /^5 ok, 0 failed, / },
  { options: [], counts: /^22 ok, 0 failed, / },
];

describe("sluice connector test", () => {
  it.each(someOf(small, 2))(
    "is green at once for one that was written with $options",
    async ({ options, counts }) => {
      const folder = await ConnectorFolder.make();
      await folder.run("new", "small", ...options);
      const { code, stdout, stderr } = await folder.run("test", "small");
      expect([code, stderr]).toEqual([exitCodes.done, ""]);
      expect(stdout.trimEnd().split("\n").at(-1)).toMatch(counts);
    },
  );

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
});
