// Installs what some tests need from Debian's packages, where this may.
import { existsSync } from "node:fs";

import { run, say } from "./child.mjs";

/**
 * Installs a package, or does nothing where there is no apt-get or no right to use it; what went wrong is on
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
  // A fresh image has no lists of packages.
  await apt("update");
  await apt("install", "-y", "--no-install-recommends", name);
}
