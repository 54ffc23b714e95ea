import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { describe, expect, it } from "vitest";

import { end, until } from "../../support/process/process.ts";
import { withFolder } from "./support.ts";

const child = fileURLToPath(new URL("write-killed-child.ts", import.meta.url));
const rows = 800_000;
const before = `id,fit\n${Array.from({ length: rows }, (_, row) => `${row},old\n`).join("")}`;

function start(folder: string): ChildProcess {
  return spawn(process.execPath, [child, folder], { stdio: "ignore" });
}

/** The bytes of the file being written; undefined if there is none. */
async function madeBytes(folder: string): Promise<number | undefined> {
  const made = (await readdir(folder)).find((name) => name.endsWith(".tmp"));
  return made === undefined ? undefined : (await stat(join(folder, made))).size;
}

describe("writeCsv, killed", () => {
  it("leaves the old file whole, and the next one finishes", async () => {
    for (const bytes of [0, before.length / 4]) {
      await withFolder({ "scores.csv": before }, async (folder) => {
        const writing = start(folder);
        await until(async () => ((await madeBytes(folder)) ?? -1) >= bytes);
        await end(writing, "SIGKILL");
        expect(writing.signalCode).toBe("SIGKILL");
        expect((await readFile(join(folder, "scores.csv"), "utf8")) === before).toBe(true);
        const next = start(folder);
        await once(next, "exit");
        expect(next.exitCode).toBe(0);
        const after = await readFile(join(folder, "scores.csv"), "utf8");
        expect(after === before.replace("\n1,old\n", "\n1,new\n")).toBe(true);
      });
    }
  });
});
