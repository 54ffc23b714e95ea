import { readFileSync } from "node:fs";

/** The file is beside `src` and, when built, beside `dist`. */
const packageFile = new URL(
  import.meta.url.endsWith(".ts") ? "../package.json" : "../../package.json",
  import.meta.url,
);

const manifest: unknown = JSON.parse(readFileSync(packageFile, "utf8"));

/** The version of sluice, from package.json. No schema checks our own file: loading zod takes as long as `--help`. */
export const version =
  typeof manifest === "object" && manifest !== null && "version" in manifest
    ? String(manifest.version)
    : "";
