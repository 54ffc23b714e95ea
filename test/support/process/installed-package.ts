import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdir, rename, rm, symlink } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";

import { z } from "zod";

const root = resolve(import.meta.dirname, "../../..");
const manifest = z
  .object({
    dependencies: z.record(z.string(), z.string()),
    peerDependencies: z.record(z.string(), z.string()),
  })
  .parse(JSON.parse(readFileSync(join(root, "package.json"), "utf8")));

/**
 * Packs the package and puts it with its dependencies into a project's `node_modules`, as an install would: the tests
 * have no network. Returns its command.
 */
export async function installPackage(project: string): Promise<string> {
  const modules = join(project, "node_modules");
  const packing = ["pack", "--ignore-scripts", "--silent", "--pack-destination", project];
  const packed = join(
    project,
    execFileSync("npm", packing, { cwd: root, encoding: "utf8" }).trim(),
  );
  execFileSync("tar", ["-xzf", packed], { cwd: project });
  await rm(packed);
  const command = join(modules, ".bin/sluice");
  await mkdir(dirname(command), { recursive: true });
  await rename(join(project, "package"), join(modules, "sluice"));
  await symlink("../sluice/bin/sluice.js", command);
  // Nothing else: a dependency that the package uses but does not declare is missing.
  for (const name of Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })) {
    await mkdir(dirname(join(modules, name)), { recursive: true });
    await symlink(join(root, "node_modules", name), join(modules, name));
  }
  return command;
}
