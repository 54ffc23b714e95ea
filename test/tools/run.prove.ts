import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");

/** A miniature clone: our tools, one package that npm links instead of downloading, and a build that takes no time. */
let template = "";
/** A copy of it for each test. */
let clone = "";

beforeAll(() => {
  template = mkdtempSync(join(tmpdir(), "sluice-template-"));
  clone = template;
  cpSync(join(root, "tools"), join(clone, "tools"), { recursive: true });
  const sources = [
    "src/a.ts",
    "workflows/a.ts",
    "activities/a.ts",
    "connectors/a.ts",
    "testing/a.ts",
    "wasm/a.ts",
  ];
  for (const name of [...sources, "tsconfig.json", "tsconfig.build.json"]) write(name, "");
  write("package.json", {
    name: "clone",
    type: "module",
    scripts: { prepare: "node tools/prepare.mjs", build: "node build.js" },
    devDependencies: { typescript: "file:compiler" },
  });
  write("compiler/package.json", { name: "typescript", version: "1.0.0" });
  write(
    "build.js",
    `import { mkdirSync, writeFileSync } from "node:fs";
     console.log("build runs");
     mkdirSync("dist", { recursive: true });
     writeFileSync("dist/workflow-bundle.js", "");`,
  );
  write(
    "bin/sluice.js",
    'console.log("/the/temporal"); console.error("sluice", ...process.argv.slice(2));',
  );
  npm("install", "--package-lock-only", "--ignore-scripts");
});

beforeEach(() => {
  clone = mkdtempSync(join(tmpdir(), "sluice-clone-"));
  cpSync(template, clone, { recursive: true });
});

afterEach(() => {
  rmSync(clone, { recursive: true });
});

afterAll(() => {
  rmSync(template, { recursive: true });
});

function write(name: string, content: string | object): void {
  mkdirSync(dirname(join(clone, name)), { recursive: true });
  const text = typeof content === "string" ? content : JSON.stringify(content);
  writeFileSync(join(clone, name), text);
}

function npm(...args: readonly string[]): void {
  const { status, stderr } = spawnSync("npm", [...args, "--offline"], { cwd: clone });
  if (status !== 0) throw new Error(String(stderr));
}

type Ended = { readonly code: number | null; readonly stdout: string; readonly said: string[] };

function run(...args: readonly string[]): Ended {
  const { status, stdout, stderr } = spawnSync(process.execPath, ["tools/run.mjs", ...args], {
    cwd: clone,
    encoding: "utf8",
    env: { ...process.env, CI: "true", NO_COLOR: "1", npm_config_offline: "true" },
  });
  const said = stderr.split("\n").filter((line) => line.startsWith("sluice"));
  return { code: status, stdout, said };
}

const builds = ({ stdout }: Ended): number => stdout.split("build runs").length - 1;
const installing = "sluice: installing packages (npm ci)";
const building = "sluice: building dist";

/** A test file with one test. */
function testFile(title: string, passes: boolean): string {
  return `import { expect, it } from "vitest"; it("${title}", () => { expect(${passes}).toBe(true); });`;
}

function lastLine({ stdout }: Ended): string | undefined {
  return stdout.trimEnd().split("\n").at(-1);
}

describe("tools/run.mjs setup", () => {
  it("installs an empty clone, which builds it, and then finds nothing more to do", () => {
    const first = run("setup");
    expect(first).toMatchObject({ code: 0, said: [installing] });
    expect(readFileSync(join(clone, "dist", "workflow-bundle.js"), "utf8")).toBe("");
    const second = run("setup");
    expect(second).toEqual({ code: 0, stdout: "", said: [] });
  });

  it("builds when a source is newer than the build, or the build is missing", () => {
    run("setup");
    const later = new Date(Date.now() + 5_000);
    utimesSync(join(clone, "connectors", "a.ts"), later, later);
    const changed = run("setup");
    expect(changed).toMatchObject({ code: 0, said: [building] });
    expect(builds(changed)).toBe(1);
    rmSync(join(clone, "connectors", "a.ts"));
    utimesSync(join(clone, "connectors"), new Date(0), new Date(0));
    expect(run("setup").said).toEqual([]);
    rmSync(join(clone, "dist"), { recursive: true });
    expect(run("setup").said).toEqual([building]);
  });

  it("installs again when the lockfile asks for something else than what is there", () => {
    run("setup");
    for (const name of ["compiler/package.json", "package-lock.json"]) {
      write(name, readFileSync(join(clone, name), "utf8").replaceAll("1.0.0", "2.0.0"));
    }
    expect(run("setup").said).toEqual([installing]);
  });

  it("ends as npm does when the build fails", () => {
    write("build.js", "process.exit(7)");
    const failed = run("setup");
    expect(failed.code).not.toBe(0);
    expect(failed.said[1]).toMatch(/^sluice: npm ci .* ended with \d+$/);
  });

  it("does without a build where the compiler is left out", () => {
    npm("ci", "--omit=dev");
    expect(existsSync(join(clone, "dist"))).toBe(false);
    expect(run("setup").said).toEqual([installing]);
    expect(existsSync(join(clone, "dist"))).toBe(true);
  });
});

describe("tools/run.mjs", () => {
  it("says how it is called when it is called otherwise", () => {
    const usage =
      "sluice: usage: node tools/run.mjs setup|demo|nightly|test|chaos|soak|mutants|prove|bench [arguments]";
    expect(run()).toEqual({ code: 2, stdout: "", said: [usage] });
    expect(run("toString")).toEqual({ code: 2, stdout: "", said: [usage] });
  });
});

describe("tools/run.mjs test", () => {
  beforeEach(() => {
    run("setup");
    symlinkSync(join(root, "node_modules", "vitest"), join(clone, "node_modules", "vitest"));
    write(
      "vitest.config.js",
      'export default { test: { projects: [{ test: { name: "test" } }] } };',
    );
    write("test/good.test.ts", testFile("holds", true));
  });

  it("gets the Temporal server first, and ends with how many tests passed and failed", () => {
    const passed = run("test");
    expect(passed.said).toEqual(["sluice temporal path", "sluice: running the tests"]);
    expect(passed.code).toBe(0);
    expect(lastLine(passed)).toBe("1 passed, 0 failed");
    write("test/bad.test.ts", testFile("does not hold", false));
    const failed = run("test");
    expect(failed.code).toBe(1);
    expect(lastLine(failed)).toBe("1 passed, 1 failed");
  });

  it("hands its arguments to vitest", () => {
    write("test/bad.test.ts", testFile("does not hold", false));
    expect(lastLine(run("test", "test/good.test.ts"))).toBe("1 passed, 0 failed");
  });

  it("counts a file that cannot be loaded as a failure", () => {
    write("test/broken.test.ts", 'throw new Error("not a test");');
    const broken = run("test");
    expect(broken.code).toBe(1);
    expect(lastLine(broken)).toBe("1 passed, 1 failed");
  });

  it("gives a red file no second try", () => {
    const onceRed = `import { existsSync, writeFileSync } from "node:fs"; import { expect, it } from "vitest";
      it("is red the first time", () => {
        const wasHere = existsSync("was-here");
        writeFileSync("was-here", "");
        expect(wasHere).toBe(true);
      });`;
    write("test/once-red.test.ts", onceRed);
    const red = run("test");
    expect(red.code).toBe(1);
    expect(lastLine(red)).toBe("1 passed, 1 failed");
  });

  it("never says that nothing failed when vitest failed", () => {
    const nothing = run("test", "test/no-such-file.test.ts");
    expect(nothing.code).toBe(1);
    expect(lastLine(nothing)).toBe("0 passed, 1 failed");
    write(
      "test/stray.test.ts",
      `${testFile("holds", true)} void Promise.reject(new Error("stray"));`,
    );
    const stray = run("test", "test/stray.test.ts");
    expect(stray.code).toBe(1);
    expect(lastLine(stray)).toBe("1 passed, 1 failed");
  });
});
