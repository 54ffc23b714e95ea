import { readFileSync } from "node:fs";

/** It is beside `src` and, when built, beside `dist`. */
const packageFile = new URL(
  import.meta.url.endsWith(".ts") ? "../package.json" : "../../package.json",
  import.meta.url,
);

const manifest: unknown = JSON.parse(readFileSync(packageFile, "utf8"));

/**
 * The version of sluice, as package.json has it. No schema looks at our own file: to load zod takes as long as
 * `--help`.
 */
export const version =
  typeof manifest === "object" && manifest !== null && "version" in manifest
    ? String(manifest.version)
    : "";
