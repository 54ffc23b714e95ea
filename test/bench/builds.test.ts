import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { expect, it } from "vitest";

import { buildCommit, commitOf } from "../../bench/builds.ts";
import { temporaryFolder } from "../support/process/temporary-folder.ts";

it("builds a commit as it was, with the packages that both ask for", async () => {
  const repository = await temporaryFolder();
  const git = (...args: string[]): void => {
    const who = ["-c", "user.name=a", "-c", "user.email=a@example.com"];
    execFileSync("git", [...who, ...args], { cwd: repository, stdio: "ignore" });
  };
  const write = (name: string, text: string): void => writeFileSync(join(repository, name), text);
  const build = `node -e "fs.cpSync('a.txt', 'dist.txt')"`;
  write("package.json", JSON.stringify({ scripts: { build } }));
  write("package-lock.json", "{}");
  write("a.txt", "then");
  git("init");
  git("add", ".");
  git("commit", "--message", "one");
  mkdirSync(join(repository, "node_modules"));
  write("node_modules/a.txt", "a package");
  write("a.txt", "now");

  const commit = (await commitOf(repository, "HEAD")) ?? "";
  expect(commit).toMatch(/^[\da-f]{40}$/);
  const folder = join(await temporaryFolder(), "built");
  const { root } = await buildCommit({ repository, commit }, folder);
  expect(readFileSync(join(root, "dist.txt"), "utf8")).toBe("then");
  expect(readFileSync(join(root, "node_modules/a.txt"), "utf8")).toBe("a package");
  expect(await commitOf(repository, "nosuch")).toBeUndefined();
});
