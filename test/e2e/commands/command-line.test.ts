import { expect, it } from "vitest";

import { expectNoStack, Laptop, laptopConfig } from "../../support/process/laptop.ts";
import { accountsCsv } from "../../support/project/project.ts";

it("starts no server to say that there is no such run", async () => {
  const laptop = await Laptop.open({ "sluice.yaml": laptopConfig, "accounts.csv": accountsCsv(3) });
  const { code, stderr } = await laptop.run(["cancel", "nope", "--verbose"]);
  expect([code, stderr]).toEqual([
    2,
    'sluice: there is no run "nope"\n  → look at `sluice runs list`\n',
  ]);
});

it("ends with 2 and every mistake of sluice.yaml at its line", async () => {
  const wrong = laptopConfig
    .replace("stream: account", "stream: acount")
    .replace("from: exports", "form: x");
  const laptop = await Laptop.open({ "sluice.yaml": wrong, "accounts.csv": accountsCsv(3) });
  const ended = await laptop.run(["run", "accounts"]);
  expect(ended.code).toBe(2);
  expect(ended.stderr).toMatch(/sluice\.yaml:\d+:\d+: .*\n.*\n\s*\^/);
  expect(ended.stderr).toContain("acount");
  expect(ended.stderr).toContain('did you mean "from"');
  expectNoStack(ended);
});
