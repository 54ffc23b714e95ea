import { execFile } from "node:child_process";
import { cp, mkdir, readFile, symlink } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";

import { say } from "./report.ts";

/** A build of the program from one state of the sources, with the benchmarks of that state. */
export type Build = {
  readonly name: string;
  /** The folder with `bin`, `dist` and `bench`. */
  readonly root: string;
};

const runFile = promisify(execFile);

/** Runs a command to its end; returns its stdout. @throws with its output, if it does not end well. */
async function command(name: string, args: readonly string[], cwd: string): Promise<string> {
  const path = [join(cwd, "node_modules/.bin"), dirname(process.execPath), process.env["PATH"]];
  const env = { ...process.env, PATH: path.join(delimiter) };
  try {
    return (await runFile(name, args, { cwd, env, maxBuffer: 1e8 })).stdout;
  } catch (error) {
    // The compiler prints its errors on stdout.
    const said = error instanceof Error && "stdout" in error ? String(error.stdout).trim() : "";
    throw new Error(`in ${cwd}: ${String(error)}\n${said}`.trim(), { cause: error });
  }
}

/** The full name of a commit; undefined if the repository does not have it. */
export async function commitOf(repository: string, commit: string): Promise<string | undefined> {
  const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${commit}^{commit}`];
  return await command("git", args, repository).then(
    (found) => found.trim(),
    () => undefined,
  );
}

/**
 * Builds a commit of a repository in a folder that does not exist yet. Uses the repository's packages
 * if both need the same ones, otherwise installs its own.
 */
export async function buildCommit(
  { repository, commit }: { readonly repository: string; readonly commit: string },
  folder: string,
): Promise<Build> {
  const name = commit.slice(0, 10);
  say(`building ${name}`);
  await mkdir(folder);
  const archive = `${folder}.tar`;
  await command("git", ["archive", "--format=tar", "--output", archive, commit], repository);
  await command("tar", ["-xf", archive], folder);
  const locks = [repository, folder].map(
    async (root) => await readFile(join(root, "package-lock.json"), "utf8"),
  );
  const [ours, its] = await Promise.all(locks);
  if (ours === its) {
    await symlink(join(repository, "node_modules"), join(folder, "node_modules"));
    await command("npm", ["run", "--silent", "build"], folder);
  } else {
    say(`installing the packages of ${name} (npm ci)`);
    await command("npm", ["ci", "--no-audit", "--no-fund"], folder);
  }
  return { name, root: folder };
}

/** Copies the current build into a folder, so that nobody's next build changes the measured one. */
export async function copyBuilt(repository: string, folder: string): Promise<Build> {
  // The benchmarks import a few of the sources.
  const parts = ["bench", "bin", "dist", "package.json", "src", "templates"];
  for (const part of parts) {
    await cp(join(repository, part), join(folder, part), { recursive: true });
  }
  await symlink(join(repository, "node_modules"), join(folder, "node_modules"));
  return { name: "now", root: folder };
}
