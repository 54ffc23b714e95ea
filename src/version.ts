import { readFileSync } from "node:fs";

import { z } from "zod";

/** It is beside `src` and, when built, beside `dist`. */
const packageFile = new URL(
  import.meta.url.endsWith(".ts") ? "../package.json" : "../../package.json",
  import.meta.url,
);

/** The version of sluice, as package.json has it. */
export const { version } = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(packageFile, "utf8")));
