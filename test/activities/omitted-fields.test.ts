import { expect, it } from "vitest";

import { accountsYaml, Harness } from "../support/project/harness.ts";
import { TestRun } from "../support/project/test-run.ts";

const staff = "staff: { column: staff, as: integer, on_invalid: omit }";
const yaml = accountsYaml().replace("{ name: name }", `{ name: name, ${staff} }`);
const files = {
  "accounts.csv": [
    "id,domain,name,staff",
    "a1,a.example,A,7",
    "a2,b.example,B,canary-many",
    "a3,c.example,C,",
    "a4,d.example,D,canary-few\n",
  ].join("\n"),
};

it("sends a record without an optional field that is invalid, and says which and how many", async () => {
  const harness = await Harness.open({ yaml, files });
  const run = await TestRun.open(harness, { runId: "run-1" });
  const { counts, warnings } = await run.transfer();
  expect(counts).toMatchObject({ read: 4, sent: 4, rejected: 0 });
  expect(warnings).toEqual([
    "account_properties.staff was left out of 2 records, such as accounts.csv:3: a value that is " +
      "not a whole number, digits only",
  ]);
});

it("rejects the record without `on_invalid`", async () => {
  const harness = await Harness.open({ yaml: yaml.replace(", on_invalid: omit", ""), files });
  const { counts } = await (await TestRun.open(harness, { runId: "run-1" })).transfer();
  expect(counts).toMatchObject({ read: 4, sent: 2, rejected: 2 });
});
