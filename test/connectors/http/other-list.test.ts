import { expect, it } from "vitest";

import { Harness, harnessHead } from "../../support/project/harness.ts";
import { TestRun } from "../../support/project/test-run.ts";
import { rowsOf, startApi } from "./support.ts";

it("says in the report that another filter has everything read again", async () => {
  const server = await startApi({ pages: "cursor", since: "from" });
  server.put(rowsOf(3));
  const yamlOf = (active: string): string => `${harnessHead}connections:
  api: ${JSON.stringify({ connector: "http", ...server.config, timeout: "30s", query: { active } })}
syncs:
  accounts:
    from: api
    stream: account
    record:
      account_id: { column: id, as: string }
      domain: { value: a.example }
      account_properties: {}
`;
  const harness = await Harness.open({ yaml: yamlOf("yes") });
  const read = async (active: string, runId: string) => {
    const at = await harness.withYaml(yamlOf(active));
    const { counts, warnings } = await (await TestRun.open(at, { runId })).transfer();
    return { read: counts.read, warnings };
  };
  expect(await read("yes", "run-1")).toEqual({ read: 3, warnings: [] });
  expect(await read("yes", "run-2")).toEqual({ read: 0, warnings: [] });
  const told = expect.stringContaining("everything is read again") as unknown;
  expect(await read("no", "run-3")).toEqual({ read: 3, warnings: [told] });
  expect(await read("no", "run-4")).toEqual({ read: 0, warnings: [] });
});
