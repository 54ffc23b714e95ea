// Finds the browser for the tests of the Web UI, or installs Debian's.
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

import { say } from "./child.mjs";
import { installFromDebian } from "./debian.mjs";

/**
 * Does nothing if `chromium` is on the PATH; otherwise installs Debian's package, or says what to do: tests
 * that need no browser run without it.
 */
export async function getChromium(options) {
  if (isInstalled(options.env)) return;
  await installFromDebian("chromium", options);
  if (isInstalled(options.env)) return;
  say("some tests need the browser chromium on the PATH (Debian: sudo apt-get install chromium)");
}

function isInstalled(env) {
  return (env.PATH ?? "").split(delimiter).some((folder) => existsSync(join(folder, "chromium")));
}
