import { spawn, type ChildProcess } from "node:child_process";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { onTestFinished } from "vitest";

import { end, watch, type Ended, type Watched } from "../process/process.ts";
import { temporaryFolder } from "../process/temporary-folder.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** A connector author's folder, outside this repository; zod is installed there. */
export class ConnectorFolder {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async make(): Promise<ConnectorFolder> {
    const folder = await temporaryFolder();
    await mkdir(join(folder, "node_modules"));
    await symlink(join(root, "node_modules/zod"), join(folder, "node_modules/zod"));
    return new ConnectorFolder(folder);
  }

  /** Starts `sluice connector …` from the current source. */
  start(args: readonly string[]): Watched & { readonly child: ChildProcess } {
    const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
    const cli = join(root, "src/cli/main.ts");
    const child = spawn(process.execPath, [cli, "connector", ...args], {
      cwd: this.folder,
      env: { PATH, HOME, NODE_COMPILE_CACHE, ROWS_FILE: "rows.db" },
      stdio: ["ignore", "pipe", "pipe"],
    });
    onTestFinished(async () => await end(child, "SIGKILL"));
    return { child, ...watch(child) };
  }

  /** Runs `sluice connector …` to its end. */
  async run(...args: readonly string[]): Promise<Ended> {
    return await this.start(args).ended;
  }

  async write(name: string, text: string): Promise<void> {
    await writeFile(join(this.folder, name), text);
  }

  /** Replaces a text in a file. @throws {Error} the file does not hold it. */
  async change(name: string, from: string, to: string): Promise<void> {
    const path = join(this.folder, name);
    const text = await readFile(path, "utf8");
    if (!text.includes(from)) throw new Error(`${name} has no ${from}`);
    await writeFile(
      path,
      text.replaceAll(from, () => to),
    );
  }
}
