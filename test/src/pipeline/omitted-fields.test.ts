import { expect, it } from "vitest";

import { OmittedFields } from "../../../src/pipeline/omitted-fields.ts";

it("names a place only where places are lines of files", () => {
  const fields = new OmittedFields();
  fields.add([{ field: "account_properties.staff", reason: "is bad", where: "crm:canary-key" }]);
  expect(fields.warnings(false)).toEqual([
    "account_properties.staff was left out of 1 record: a value that is bad",
  ]);
  expect(fields.warnings(true)[0]).toContain("such as crm:canary-key");
});
