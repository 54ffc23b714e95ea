import { spawnSync } from "node:child_process";

import { beforeEach, expect, it } from "vitest";

import { temporaryFolder } from "../../../support/process/temporary-folder.ts";
import { bin } from "../../../support/project/project.ts";

const escape = "\u001b[";

let cwd: string;

beforeEach(async () => {
  cwd = await temporaryFolder();
});

/** The output of `sluice doctor` in an empty folder, where it finds no configuration. */
function doctor(args: readonly string[], env: NodeJS.ProcessEnv = {}): string {
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
  const ended = spawnSync(process.execPath, [bin, "doctor", ...args], {
    cwd,
    env: { PATH, HOME, NODE_COMPILE_CACHE, ...env },
    encoding: "utf8",
  });
  return ended.stdout + ended.stderr;
}

it("colours go into a pipe where they are asked for, and never into JSON", () => {
  const plain = doctor([]);
  expect(plain).not.toContain(escape);
  expect(plain).toMatch(/^ok {4}Node\.js: v.*\nFAIL {2}configuration: no sluice\.yaml/ms);
  expect(doctor([], { FORCE_COLOR: "1" })).toContain(escape);
  expect(doctor(["--color", "always"], { NO_COLOR: "1" })).toContain(escape);
  expect(doctor(["--no-color"], { FORCE_COLOR: "1" })).not.toContain(escape);
  expect(doctor(["--color", "always", "--json"])).not.toContain(escape);
  expect(doctor(["--color", "blue"])).toMatch(/^sluice: option '--color <when>' .*Allowed choices/);
});

it("quiet and verbose exclude each other", () => {
  expect(doctor(["-q", "--verbose"])).toMatch(/^sluice: option '-q, --quiet' cannot be used with/);
});
