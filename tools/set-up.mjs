// Makes a clone ready to run: packages, a new enough Node, dist/. Does only what is missing.
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

import { mustRun, say, Stop } from "./child.mjs";

/** The repository. */
export const root = fileURLToPath(new URL("..", import.meta.url));

const bin = join(root, "node_modules", ".bin");
const [needMajor, needMinor] = [24, 15];

/** The sources of dist/, and the file that the build writes last. */
const sources = [
  "src",
  "workflows",
  "activities",
  "connectors",
  "testing",
  "wasm",
  "tools/build-wasm.mjs",
  "tools/wasm-programs.json",
  "tools/bundle-program.mjs",
  "tools/bundle-workflows.mjs",
];
const settings = ["package-lock.json", "tsconfig.json", "tsconfig.build.json"];
const lastBuilt = "dist/workflow-bundle.js";

/** Installs and builds if needed; returns an environment in which the repository's own programs come first. */
export async function setUp() {
  if (!isInstalled()) {
    say("installing packages (npm ci)");
    // Without our own programs on the PATH: npm would run on the Node that it is about to replace.
    // Its warnings are about the older Node that runs npm: the packages run on the newer one that comes with them.
    await mustRun("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], {
      cwd: root,
      env: { ...process.env, PATH: pathWithout(bin) },
    });
  }
  const env = { ...process.env, PATH: [bin, pathWithout(bin)].join(delimiter) };
  if (!isBuilt()) {
    say("building dist");
    await mustRun("npm", ["run", "--silent", "build"], { cwd: root, env });
  }
  return env;
}

/** A Node new enough for the code: the one npm installed, or else the one that runs this. */
export function nodeToUse() {
  const installed = join(bin, "node");
  if (existsSync(installed)) return installed;
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > needMajor || (major === needMajor && minor >= needMinor)) return process.execPath;
  throw new Stop(
    `Node.js ${needMajor}.${needMinor} or newer is needed, this is ${process.version}, and npm ` +
      "has none for this platform",
  );
}

/** Whether node_modules holds exactly the packages in package-lock.json; optional packages may be missing. */
function isInstalled() {
  const found = packagesIn("node_modules/.package-lock.json");
  const wanted = packagesIn("package-lock.json");
  return (
    found !== undefined &&
    Object.keys(found).every((path) => path in wanted) &&
    Object.entries(wanted).every(([path, { version, integrity, optional }]) => {
      const there = found[path];
      if (there === undefined) return path === "" || optional === true;
      return there.version === version && there.integrity === integrity;
    })
  );
}

function packagesIn(file) {
  const path = join(root, file);
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")).packages : undefined;
}

/** Whether dist/ is newer than all its sources. */
function isBuilt() {
  const built = statSync(join(root, lastBuilt), { throwIfNoEntry: false });
  const made = [...sources, ...settings].map((name) => join(root, name));
  return built !== undefined && made.every((path) => newestIn(path) <= built.mtimeMs);
}

/** The last change of a file, or of anything in a folder. The folder's own time reveals removed files. */
function newestIn(path) {
  const { mtimeMs } = statSync(path);
  if (!statSync(path).isDirectory()) return mtimeMs;
  return Math.max(mtimeMs, ...readdirSync(path).map((name) => newestIn(join(path, name))));
}

function pathWithout(folder) {
  const folders = (process.env.PATH ?? "").split(delimiter);
  return folders.filter((name) => name !== folder).join(delimiter);
}
