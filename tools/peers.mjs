// Finds the programs with which the benchmark compares ours, or installs Debian's.
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

import { Stop } from "./child.mjs";
import { installFromDebian } from "./debian.mjs";

const peers = ["pigz", "sqlite3", "curl"];

/** Installs those that are not on the PATH. Throws a Stop that lists the missing ones if it may not. */
export async function getPeers(options) {
  for (const name of peers) {
    if (!isOnPath(name, options.env)) await installFromDebian(name, options);
  }
  const missing = peers.filter((name) => !isOnPath(name, options.env));
  if (missing.length === 0) return;
  const names = missing.join(" ");
  throw new Stop(`the benchmark needs ${names} (Debian: sudo apt-get install ${names})`);
}

function isOnPath(program, env) {
  return (env.PATH ?? "").split(delimiter).some((folder) => existsSync(join(folder, program)));
}
