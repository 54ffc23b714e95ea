import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdir, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";

import { pullChecks, pushChecks } from "../../../testing/checks/index.ts";
import type { Ended } from "../../support/process/process.ts";
import { Project } from "../../support/project/project.ts";

const timeoutMs = 240_000;
const root = fileURLToPath(new URL("../../..", import.meta.url));
const text = readFileSync(join(root, "docs/connectors.md"), "utf8");

type Step = { readonly file: string; readonly body: string } | { readonly command: string };

/** The steps that the document gives its reader: files to write, and commands. */
const steps = [...text.matchAll(/```(\w+)(?: file=(\S+))?\n([^]*?)```/g)].flatMap(
  ([, language, file, body = ""]): readonly Step[] => {
    if (file !== undefined) return [{ file, body }];
    if (language !== "sh") return [];
    const lines = body.trim().split("\n");
    return lines.map((command) => ({ command }));
  },
);

/** One of our own installed packages. */
function installed(name: string): string {
  return join(root, "node_modules", name);
}

const result = z.object({ id: z.string(), state: z.string() });

/** A reader's folder with the result of `npm install zod sluice`. */
class Reader {
  readonly project: Project;
  readonly #left: Step[] = [...steps];

  private constructor(project: Project) {
    this.project = project;
  }

  static async start(): Promise<Reader> {
    const project = await Project.start(onTestFinished, {});
    const modules = join(project.folder, "node_modules");
    await mkdir(modules);
    await symlink(root, join(modules, "sluice"));
    for (const name of ["zod", "vitest", "@types"]) {
      await symlink(join(root, "node_modules", name), join(modules, name));
    }
    return new Reader(project);
  }

  /** Writes the files up to the next command, or to the end, and runs the command. */
  async next(more: readonly string[] = []): Promise<Ended & { readonly command?: string }> {
    for (;;) {
      const step = this.#left.shift();
      if (step === undefined) return { code: 0, stdout: "", stderr: "" };
      if ("command" in step) {
        const { command } = step;
        const [program, name, ...args] = command.split(" ");
        if (program === "node")
          return { command, stderr: "", ...this.program(name ?? "", ...args) };
        // As for a user who has set nothing: it starts a Temporal and a sandbox of its own.
        const env = { TEMPORAL_ADDRESS: "" };
        return { command, ...(await this.project.sluiceWith(env, ...args, ...more)) };
      }
      await mkdir(join(this.project.folder, dirname(step.file)), { recursive: true });
      await this.project.write(step.file, step.body);
    }
  }

  /** The next command, and its state for each check. */
  async nextKit(): Promise<Ended & { readonly states: Readonly<Record<string, string>> }> {
    const ended = await this.next(["--json"]);
    const lines = ended.stdout.trim().split("\n");
    const results = lines.flatMap((line) => result.safeParse(JSON.parse(line)).data ?? []);
    return { ...ended, states: Object.fromEntries(results.map(({ id, state }) => [id, state])) };
  }

  /** A program in the folder. */
  program(
    name: string,
    ...args: string[]
  ): { readonly code: number | null; readonly stdout: string } {
    const options = {
      cwd: this.project.folder,
      encoding: "utf8",
      env: { PATH: process.env["PATH"], HOME: process.env["HOME"] },
    } as const;
    const { status, stdout } = spawnSync(process.execPath, [name, ...args], options);
    return { code: status, stdout };
  }
}

describe("docs/connectors.md", () => {
  it(
    "leads from nothing to a connector that is green, and to its first sync",
    async () => {
      const reader = await Reader.start();
      const first = await reader.nextKit();
      expect(first.states).toEqual({
        S1: "failed",
        S3: "failed",
        R1: "passed",
        R2: "passed",
        R3: "passed",
        R4: "passed",
      });
      expect(first.code).toBe(1);
      const { code, states } = await reader.nextKit();
      expect(Object.entries(states).filter(([, state]) => state === "failed")).toEqual([]);
      const shown = {
        S1: "passed",
        S3: "passed",
        R20: "passed",
        R21: "passed",
        F5: "passed",
        A1: "passed",
      };
      expect(states).toMatchObject({ ...shown, A4: "passed", F3: "not shown" });
      expect(code).toBe(0);

      expect(await reader.next()).toMatchObject({ command: "node make-books.js", code: 0 });
      expect(await reader.next()).toMatchObject({ command: "npx sluice check", code: 0 });
      const run = await reader.next();
      expect(run).toMatchObject({ command: "npx sluice run books", code: 0 });
      expect(run.stdout).toContain("read 2 = sent 2");

      const pushed = await reader.nextKit();
      expect(pushed.states).toEqual(Object.fromEntries(pushChecks.map(({ id }) => [id, "passed"])));

      const paged = await reader.nextKit();
      expect(Object.values(paged.states)).not.toContain("failed");
      expect(paged.states).toMatchObject({ R4: "passed", F2: "passed", F5: "passed" });

      // The remaining steps are files: the test file, which the compiler and vitest accept.
      expect((await reader.next()).command).toBeUndefined();
      const compiler =
        "--noEmit --strict --module nodenext --target es2024 --types node --skipLibCheck --allowImportingTsExtensions";
      const files = [
        "books/index.ts",
        "books/harness.ts",
        "books/index.test.ts",
        "orders/index.ts",
        "orders/harness.ts",
        "hook/index.ts",
        "hook/harness.ts",
      ];
      const compiled = reader.program(
        installed("typescript/bin/tsc"),
        ...compiler.split(" "),
        ...files,
      );
      expect(compiled).toEqual({ code: 0, stdout: "" });
      const tested = reader.program(installed("vitest/vitest.mjs"), "run");
      expect(tested.stdout).toContain("passed");
      expect(tested.code).toBe(0);
    },
    timeoutMs,
  );

  it("lists every check with its words", () => {
    const [, table = ""] = /<!-- checks -->([^]*?)<!-- checks end -->/.exec(text) ?? [];
    const listed = table
      .split("\n")
      .filter((line) => /^\| [SRFA]\d/.test(line))
      .map((line) =>
        line
          .slice(1, -1)
          .split(" | ")
          .map((cell) => cell.trim()),
      );
    const checks = [...pullChecks, ...pushChecks].map(({ id, title, why }) => [id, title, why]);
    const once = new Map(checks.map((check) => [check[0], check]));
    expect(listed).toEqual([...once.values()]);
  });
});
