import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { expect, it } from "vitest";

import { registerState } from "../../../../src/cli/status/state.ts";
import { registerVerify } from "../../../../src/cli/verify/verify.ts";
import { accountOf, plantedProject } from "../../../support/project/planted.ts";
import { runVerb } from "../../../support/project/run-verb.ts";

it("a look that can look up none of its records does not pass for one that found all as it was sent", async () => {
  const planted = await plantedProject(2, [accountOf(0), accountOf(1)]);
  const before = await readFile(join(planted.folder, "sluice.yaml"), "utf8");
  const other = before.replace("domain: domain", 'domain: { template: "www.{domain}" }');
  const harness = await planted.withYaml(other);
  const why = ["--reason", "means the same"];
  await runVerb(registerState, harness, [
    "state",
    "adopt",
    "accounts",
    "--fields",
    "domain",
    ...why,
  ]);
  await expect(runVerb(registerVerify, harness, ["verify", "accounts"])).rejects.toMatchObject({
    code: "ConfigError",
    message:
      "nothing can be verified: of 2 records drawn from sync accounts, none is known to have the domain that was " +
      "sent: it has changed since, or was adopted",
  });
  const named = await runVerb(registerVerify, harness, ["verify", "accounts", "--key", "a0"]);
  expect(named.code).toBe(0);
  expect(named.out.join()).toContain("incomparable a0");
  expect(await harness.sandbox.ledger("search")).toEqual([]);
});
