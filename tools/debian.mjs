// Installs Debian packages that some tests need, where it may.
import { existsSync } from "node:fs";

import { run, say } from "./child.mjs";

/**
 * Installs a package, or does nothing without apt-get or the right to use it; errors are on
 * stderr.
 */
export async function installFromDebian(name, { env }) {
  if (process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get")) return;
  say(`installing ${name} (apt-get)`);
  const apt = async (...args) =>
    await run("apt-get", ["-qq", ...args], {
      env: { ...env, DEBIAN_FRONTEND: "noninteractive" },
      capture: true,
    });
  // A fresh image has no package lists.
  await apt("update");
  await apt("install", "-y", "--no-install-recommends", name);
}
