import { spawn } from "node:child_process";
import { chmod, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { parse } from "csv-parse/sync";
import { describe, expect, it } from "vitest";
import { z } from "zod";

import { canaries, canariesIn, keepEvidence, keepFolder } from "../support/canaries.ts";
import { openToOthers } from "../support/process/private-files.ts";
import { watch, type Ended } from "../support/process/process.ts";
import { temporaryFolder } from "../support/process/temporary-folder.ts";
import { accountsConfig, bin } from "../support/project/project.ts";

const timeoutMs = 240_000;

/** Characters that control a terminal, except the line breaks that we print ourselves. */
const steering = /[^\P{Cc}\n]|[\p{Bidi_Control}\p{Zl}\p{Zp}]/u;

/** A file name that would clear the screen, begin a line that looks like ours and reverse the text direction. */
const fileName = "ac\u001b[2J\n[12:00:00] INFO: all is well\u202e\u009bcounts.csv";

const hostileCells = [
  "=cmd|' /C calc'!A0",
  "+1",
  "-1",
  "@SUM(1)",
  "\tx",
  "\rx",
  "\nx",
  "＝1",
  "x\r=1",
  "\u001b]0;title\u0007\u202e\u2066",
];

const quoted = (cell: string): string => `"${cell.replaceAll('"', '""')}"`;

/** One row that is sent, and for each hostile text one that is refused because the text is not a domain. */
const rows = [
  "id,domain,name,employees",
  `a0,c0.example,"CANARY-CELL \u001b[31m\u202e",1`,
  ...hostileCells.map((cell, row) => [quoted(cell), "none", `CANARY-CELL ${row}`, 1].join()),
  "",
].join("\n");

/** A laptop with nothing configured, whose project holds hostile names and texts and canaries. */
class Laptop {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async open(): Promise<Laptop> {
    const folder = await temporaryFolder();
    const yaml = accountsConfig()
      .replace("${SLUICE_BASE_URL}", "sandbox")
      .replace("${SLUICE_LEGACY_BASE_URL}", "sandbox")
      .replace("./accounts.csv", JSON.stringify(`./${fileName}`).slice(1, -1))
      .replace(/path: (.*) \}/, 'path: "$1" }');
    await writeFile(join(folder, "sluice.yaml"), yaml);
    await writeFile(join(folder, fileName), rows);
    return new Laptop(folder);
  }

  /** Runs a program to its end, and records the titles of all processes that it starts. */
  async #end(command: string, args: readonly string[]): Promise<Ended> {
    const { PATH, HOME } = process.env;
    const child = spawn(command, args, {
      cwd: this.folder,
      env: { PATH, HOME, CRM_DATABASE_URL: canaries.databaseUrl },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const { ended } = watch(child);
    const titles = new Set<string>();
    const looking = setInterval(() => void titlesBelow(child.pid ?? 0, titles), 100);
    const how = await ended;
    clearInterval(looking);
    await keepEvidence({ what: "process titles", text: [...titles].join("\n") });
    return how;
  }

  async sluice(...args: string[]): Promise<Ended> {
    return await this.#end(process.execPath, [bin, ...args]);
  }

  /** The same in a terminal. */
  async sluiceInTerminal(...args: string[]): Promise<Ended> {
    const line = [process.execPath, bin, ...args].join(" ");
    return await this.#end("script", ["--quiet", "--return", "--command", line, "/dev/null"]);
  }
}

async function titlesBelow(pid: number, titles: Set<string>): Promise<void> {
  const read = async (name: string): Promise<string> =>
    await readFile(`/proc/${pid}/${name}`, "utf8").catch(() => "");
  titles.add((await read("cmdline")).replaceAll("\0", " "));
  const children = (await read(`task/${pid}/children`)).trim().split(" ").filter(Boolean);
  for (const child of children) await titlesBelow(Number(child), titles);
}

const cells = z.array(z.record(z.string(), z.string()));

describe("what a run leaves, of hostile rows and with canaries in every secret (P18)", () => {
  it(
    "is for its owner, holds no secret, steers no terminal and is not a formula (T11, T12, T13, T18)",
    async () => {
      const laptop = await Laptop.open();
      const state = join(laptop.folder, ".sluice");
      const run = await laptop.sluice("run", "accounts", "--mode", "heavyweight");
      // Both, so that a failed run shows why.
      expect(`${run.stdout}${run.stderr}`).toContain(
        `read 11 = sent 1 + unchanged 0 + filtered 0 + rejected 10`,
      );
      expect(await openToOthers(state)).toEqual([]);
      expect(await readdir(state)).toEqual(
        expect.arrayContaining(["state.db", "temporal.db", "temporal.log", "sandbox.log"]),
      );
      expect(await readdir(join(state, "staging"))).toEqual([]);
      // The history is there and readable: a search that finds nothing in it means something.
      expect(await readFile(join(state, "temporal.db"), "latin1")).toContain("stageChunk");
      await keepFolder(laptop.folder);

      const shown = [
        await laptop.sluice("rejects", "list"),
        await laptop.sluice("rejects", "list", "--json"),
        await laptop.sluice("rejects", "export", "--format", "jsonl"),
        await laptop.sluice("preview", "accounts", "--limit", "20"),
        await laptop.sluice("preview", "accounts", "--limit", "20", "--json"),
        await laptop.sluice("runs", "show"),
        await laptop.sluice("runs", "show", "--json"),
        await laptop.sluice("state", "show"),
        await laptop.sluice("state", "show", "--json"),
        await laptop.sluice("check", "exports"),
        await laptop.sluice("run", "nothing"),
      ];
      for (const { stdout, stderr } of [run, ...shown]) {
        expect(stdout + stderr).not.toBe("");
        expect(stdout).not.toMatch(steering);
        expect(stderr).not.toMatch(steering);
        expect(`${stdout}\n${stderr}`).not.toMatch(/^\[12:00:00\]/m);
      }
      const watched = await laptop.sluiceInTerminal("rejects", "export");
      expect(watched.stdout).toContain("not_domain");
      expect(watched.stdout.replaceAll("\r\n", "\n")).not.toMatch(steering);

      const out = join(laptop.folder, "rejects.csv");
      await writeFile(out, "");
      await chmod(out, 0o644);
      expect((await laptop.sluice("rejects", "export", "--out", out)).code).toBe(0);
      expect((await stat(out)).mode & 0o777).toBe(0o600);
      const text = await readFile(out, "utf8");
      const exported = cells.parse(parse(text, { columns: true }));
      expect(
        exported.map(({ row = "" }) => z.object({ id: z.string() }).parse(JSON.parse(row)).id),
      ).toEqual(hostileCells);
      const all = exported.flatMap((reject) => Object.values(reject));
      expect(all.filter((cell) => /^[=+\-@\t\r\n＝＋－＠]/.test(cell))).toEqual([]);
    },
    timeoutMs,
  );

  it(
    "goes when its time is over, out of the file as well (T12)",
    async () => {
      const laptop = await Laptop.open();
      await laptop.sluice("run", "accounts");
      const database = async (): Promise<string> => {
        const state = join(laptop.folder, ".sluice");
        const names = (await readdir(state)).filter((name) => name.startsWith("state.db"));
        const texts = names.map(async (name) => await readFile(join(state, name), "latin1"));
        return (await Promise.all(texts)).join("\n");
      };
      expect(canariesIn(await database())).toEqual(["cell"]);
      const pruned = await laptop.sluice("runs", "prune", "--older-than", "1ms", "--json");
      // The newest success stays, without the rows and keys of its rejects.
      expect(pruned.stdout).toBe('{"removed":0}\n');
      expect(canariesIn(await database())).toEqual([]);
    },
    timeoutMs,
  );
});
