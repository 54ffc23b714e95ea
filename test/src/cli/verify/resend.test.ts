import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { expect, it } from "vitest";

import { registerVerify } from "../../../../src/cli/verify/verify.ts";
import { plantedProject } from "../../../support/project/planted.ts";
import { runVerb } from "../../../support/project/run-verb.ts";

it("a record that is to be sent again stays known where no run can begin", async () => {
  const harness = await plantedProject(2, []);
  harness.sandbox.order("ping", { status: 403 });
  const resend = ["verify", "accounts", "--key", "a0", "--resend", "--yes"];
  await expect(runVerb(registerVerify, harness, resend)).rejects.toThrow("403");
  const { state, target } = harness.deps;
  const known = await state.knownRecords({ target, sync: "accounts", keys: ["a0"] });
  expect(known).toMatchObject([{ state: "accepted" }]);
});

it("records of which older versions follow newer ones are not sent again, and no call is made to say so", async () => {
  const harness = await plantedProject(2, []);
  const yaml = await readFile(join(harness.folder, "sluice.yaml"), "utf8");
  await harness.write(
    "sluice.yaml",
    yaml.replace("path: accounts.csv", "path: accounts.csv, append_only: true"),
  );
  const resend = ["verify", "accounts", "--key", "a0", "--resend", "--yes"];
  await expect(runVerb(registerVerify, harness, resend)).rejects.toMatchObject({
    message: expect.stringContaining("reads versions of its records") as unknown,
    hint: "`sluice state reset accounts` sends all of them again, in order",
  });
  expect(await harness.sandbox.ledger("search")).toEqual([]);
});
